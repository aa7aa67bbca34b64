//! The sample is the defaults; every key can be set; every mistake gets its sentence.

mod groups;
mod syntax;
mod trust;

use super::*;
use crate::group::{Alias, CommitCheck, ForeignPlanCheck, Lead, LeaderSelection, PlanCheck};
use crate::ids::Mode;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, "divvy.toml")
}

fn problems(text: &str) -> Vec<String> {
    parse(text).expect_err("it is refused").problems
}

fn problem(text: &str) -> String {
    let problems = problems(text);
    let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
    problem.clone()
}

/// The sample with its examples switched on.
fn whole_sample() -> String {
    let is_setting = |rest: &str| !rest.is_empty() && !rest.starts_with(' ');
    let on = |line: &'static str| line.strip_prefix('#').filter(|rest| is_setting(rest)).unwrap_or(line);
    Config::sample().lines().map(on).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_sample_says_the_defaults() {
    assert_eq!(parse(Config::sample()).unwrap(), Config::default());
    assert_eq!(parse("").unwrap(), Config::default());
    Config::default().check().unwrap();
}

#[test]
fn the_sample_with_its_examples_says_every_key() {
    let config = parse(&whole_sample()).unwrap();
    config.check().unwrap();
    assert_eq!(config.advertised_listener, Some(HostPort { host: "divvy.example.org".to_owned(), port: 9092 }));
    let (name, topic) = &config.topics[0];
    assert_eq!((name.as_str(), topic.partitions, topic.racks.len()), ("clicks", 12, 12));
    assert_eq!(topic.racks[4], ["eu-1b"]);
    let (pattern, settings) = &config.groups[0];
    assert_eq!(pattern, "search-*");
    assert_eq!(settings.assignors, ["rack-aware@1", "range"]);
    assert_eq!(settings.config["my-assignor"], serde_json::json!({"key": 1}));
    assert_eq!(settings.fallback.as_deref(), Some("range"));
    assert_eq!(settings.lead, Lead::Coordinator);
    let alias = Alias { protocol: "range".to_owned(), assignor: "rack-aware@1".to_owned(), mode: None };
    assert_eq!(settings.aliases, [alias]);

    // Whoever adds a key finds this: the sentence about an unknown key lists all that are asked for.
    for section in ["", "[[topic]]\nname = \"t\"\npartitions = 1", "[[group]]\nmatch = \"*\""] {
        let listed = problem(&format!("{section}\nzzzzzzzzzzzzzzzzzzzzzzzz = 1"));
        let (_, keys) = listed.split_once("the keys here are ").unwrap();
        for key in keys.split(", ") {
            assert!(whole_sample().contains(key), "{key} is not in the sample");
        }
    }
}

#[test]
fn every_key_of_the_server_can_be_set() {
    let config = parse(
        r#"
        listen = "localhost:0"
        admin = "off"
        advertised.listener = "[::1]:19092"
        insecure = true
        data = "memory"
        group.min.session.timeout.ms = 1
        group.max.session.timeout.ms = 2
        group.initial.rebalance.delay.ms = 0
        group.max.size = 3
        offset.metadata.max.bytes = 0
        offsets.commit.timeout.ms = 8
        offsets.retention.minutes = 1
        offsets.retention.check.interval.ms = 9
        socket.request.max.bytes = 1_000_000
        topics.auto.create = "off"
        shards = 2
        assignors = "/srv/assignors"
        module.cache = "/var/cache/divvy"
        module.trusted_keys = ["RWRKumbxaOfnGDfnEgAz1wZzdY4DfzUalwGpOHllJ2gKZtn/n8BTXF2d"]
        module.allowed = ["sha256:abababababababababababababababababababababababababababababababab"]
        module.wasi_shim = ["by-size", "go.2"]
        module.max_call_ms = 200
        module.max_memory_mib = 1024
        capture.dir = "/var/lib/captures"
        capture.max.files = 5
        capture.max.bytes = 65_536
        [load]
        wait.ms = 7
        heartbeat = "not-ready"
        [log]
        format = "json"
        filter = "warn,divvy=debug"
        "#,
    )
    .unwrap();
    let ms = Duration::from_millis;
    let expected = Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        admin: None,
        advertised_listener: Some(HostPort { host: "::1".to_owned(), port: 19092 }),
        insecure: true,
        data: DataPlace::Memory,
        limits: GroupLimits {
            min_session_timeout: ms(1),
            max_session_timeout: ms(2),
            initial_rebalance_delay: ms(0),
            max_size: 3,
            offset_metadata_max_bytes: 0,
            offsets_commit_timeout: ms(8),
            offsets_retention: ms(60_000),
            offsets_check_interval: ms(9),
        },
        socket_request_max_bytes: 1_000_000,
        load_wait: ms(7),
        load_heartbeat: LoadHeartbeat::NotReady,
        topics_auto_create: None,
        kafka: None,
        shards: Some(2),
        assignors: Some("/srv/assignors".into()),
        usual_assignors: Vec::new(),
        module_cache: Some("/var/cache/divvy".into()),
        trust: trust::expected(),
        capture_dir: Some("/var/lib/captures".into()),
        capture_bounds: CaptureBounds { files: 5, bytes: 65_536 },
        log_format: LogFormat::Json,
        log_filter: "warn,divvy=debug".to_owned(),
        topics: Vec::new(),
        groups: Vec::new(),
    };
    assert_eq!(config, expected);
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_name() {
    for (text, sentence) in [
        ("\n\nlisten_ = \"x\"", "divvy.toml, line 3: there is no key listen_: did you mean listen?"),
        ("group_max_size = 1", "divvy.toml, line 1: there is no key group_max_size: did you mean group.max.size?"),
        (
            "[group]\ninitial.rebalance.dealy.ms = 0",
            "divvy.toml, line 2: there is no key group.initial.rebalance.dealy.ms: did you mean \
             group.initial.rebalance.delay.ms?",
        ),
        (
            "[[topic]]\nname = \"t\"\npartitions = 1\nrack = [\"a\"]",
            "divvy.toml, line 4: there is no key rack: did you mean racks?",
        ),
        (
            "[[group]]\nmatch = \"*\"\nplan-check = \"off\"",
            "divvy.toml, line 3: there is no key plan-check: did you mean plan.check?",
        ),
        (
            "[group]\nmatch = \"*\"",
            "divvy.toml, line 2: there is no key group.match: if it belongs to some groups or to a topic, write it \
             under [[group]] or [[topic]]",
        ),
        ("[topics]", "divvy.toml, line 1: there is no key topics: did you mean topic?"),
    ] {
        assert_eq!(problem(text), sentence);
    }
}

#[test]
fn a_wrong_value_is_refused_with_what_to_write() {
    for (text, sentence) in [
        ("listen = 9092", "divvy.toml, line 1: listen = 9092: write ADDRESS:PORT, such as \"127.0.0.1:9092\""),
        ("listen = \"127.0.0.1:65536\"", "listen = \"127.0.0.1:65536\": write ADDRESS:PORT"),
        ("admin = \"on\"", "or \"off\""),
        ("advertised.listener = \"PLAINTEXT://h:1\"", "write HOST:PORT"),
        ("advertised.listener = \"h:0\"", "write HOST:PORT"),
        ("advertised.listener = \"::1:9092\"", "write HOST:PORT"),
        ("insecure = \"yes\"", "insecure = \"yes\": write true or false"),
        ("data = \"\"", "write the path of a folder, or \"memory\""),
        ("\"group.max.size\" = 0", "group.max.size = 0: write a number from 1 to 2147483647"),
        ("load.wait.ms = -1", "load.wait.ms = -1: write a number of milliseconds from 0 to 600000"),
        ("load.wait.ms = 1.5", "load.wait.ms = 1.5: write a number of milliseconds"),
        ("load.heartbeat = \"maybe\"", "write \"ok\" or \"not-ready\""),
        ("topics.auto.create = 0", "write a number from 1 to 1000000, or \"off\""),
        ("topics.auto.create = true", "write a number from 1 to 1000000, or \"off\""),
        ("shards = 1000", "write a number from 1 to 256, or \"auto\""),
        ("log.filter = \"divvy=loud\"", "write a level"),
        ("log.filter = \"loud\"", "log.filter = \"loud\": write a level (error, warn, info, debug, trace, off)"),
        ("log.filter = \"info,divvy\"", "write a level"),
        ("[[group]]\nmatch = \"*\"\nassignors = [\"b\", \"b\"]", "assignors has \"b\" twice: keep it at"),
        (
            "[[group]]\nmatch = \"*\"\nlead = \"coordinator\"\nalias = [{ protocol = \"range\", assignor = \"a\" }, \
             { protocol = \"range\", assignor = \"b\" }]",
            "alias has \"range\" twice, and one module serves under one name: keep one of them",
        ),
        ("topic = 1", "write it as [[topic]], in double brackets"),
        ("[[topic]]\npartitions = 1", "line 1: name is missing here: write name = \"clicks\""),
        ("[[topic]]\nname = \"a/b\"\npartitions = 1", "a topic's name is made of"),
        (
            "[[topic]]\nname = \"t\"\npartitions = 1\n[[topic]]\nname = \"t\"\npartitions = 2",
            "line 4: topic t is configured twice",
        ),
        ("[[topic]]\nname = \"t\"\npartitions = 1\nracks = \"r\"", "write a list of at least one rack"),
        ("[[topic]]\nname = \"t\"\npartitions = 1\nracks = []", "racks = []: write a list of at least one rack"),
        ("[[topic]]\nname = \"t\"\npartitions = 1\nracks = [[\"r\", \"r\"]]", "names rack \"r\" twice"),
        ("[[group]]\nfallback = \"range\"", "match is missing here"),
        ("[[group]]\nmatch = \"*\"\nassignors = \"range\"", "write a list of assignors"),
        ("[[group]]\nmatch = \"*\"\nassignors = [\"range@x\"]", "assignors = [\"range@x\"]: write a list of assignors"),
        ("[[group]]\nmatch = \"*\"\nassignors = [\"\"]", "write a list of assignors"),
        ("[[group]]\nmatch = \"*\"\nfallback = \"my range\"", "fallback = \"my range\": write an assignor"),
        ("[log]\nformat = \"text\"\n[\"log.format\"]\nx = 1", "there is no key log.format.x"),
        ("log.format = \"text\"\n\"log.format\" = \"json\"", "log.format is set twice"),
    ] {
        let found = problem(text);
        assert!(found.contains(sentence), "{text}\n  says: {found}\n  not: {sentence}");
    }
}

#[test]
fn all_mistakes_are_told_at_once_in_the_files_order() {
    let lines = problems("shards = 0\nadmn = \"off\"\nlisten = 1\n[[topic]]\nname = \"t\"");
    let starts: Vec<_> = lines.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(starts, ["divvy.toml, line 1", "divvy.toml, line 2", "divvy.toml, line 3", "divvy.toml, line 4"]);
}

#[test]
fn other_machines_may_connect_only_when_told_so() {
    let open = parse("listen = \"10.0.0.1:9092\"\nadmin = \"[2001:db8::1]:9640\"").unwrap();
    let refused = open.check().unwrap_err();
    assert_eq!(refused.problems.len(), 2);
    assert!(refused.to_string().contains("listen = \"10.0.0.1:9092\" lets other machines connect"), "{refused}");
    assert!(refused.to_string().contains("--insecure"), "{refused}");
    Config { insecure: true, ..open }.check().unwrap();
    parse("listen = \"[::1]:9092\"\nadmin = \"127.0.0.2:1\"").unwrap().check().unwrap();
}

#[test]
fn what_fits_no_other_key_is_refused() {
    let say = |config: Config| config.check().unwrap_err().to_string();
    let base = Config { insecure: true, ..Config::default() };
    let any: SocketAddr = "0.0.0.0:9092".parse().unwrap();
    assert!(say(Config { listen: any, ..base.clone() }).contains("`advertised.listener = \"divvy.example.org:9092\"`"));
    let free: SocketAddr = "0.0.0.0:0".parse().unwrap();
    assert!(
        say(Config { listen: free, ..base.clone() }).contains("`advertised.listener = \"divvy.example.org:9092\"`")
    );
    let told = Config { listen: any, advertised_listener: "h:9092".parse().ok(), ..base.clone() };
    told.check().unwrap();
    assert!(say(Config { admin: Some(base.listen), ..base.clone() }).contains("both \"127.0.0.1:9092\""));
    let mut swapped = base.clone();
    swapped.limits.max_session_timeout = Duration::from_millis(5);
    assert!(say(swapped).contains("swap them"));
    let topic = ("t".into(), Topic { partitions: 1, racks: Vec::new() });
    assert!(say(Config { topics: vec![topic.clone(), topic], ..base }).contains("topic t is configured twice"));
}

#[test]
fn shards_follow_the_cores_unless_told() {
    let auto = Config::default();
    let counts: Vec<_> = [0, 1, 4, 7, 8, 64].map(|cores| auto.shard_count(cores)).into();
    assert_eq!(counts, [1, 1, 1, 1, 2, 16]);
    assert_eq!(Config { shards: Some(3), ..auto }.shard_count(1), 3);
}

#[test]
fn a_named_file_must_exist() {
    let place = tempfile::TempDir::new().unwrap();
    let path = place.path().join("mine.toml");
    let error = Config::load(Some(&path)).unwrap_err().to_string();
    assert!(error.contains(&path.display().to_string()) && error.contains("every key has a default"), "{error}");
    std::fs::write(&path, "shards = 4").unwrap();
    assert_eq!(Config::load(Some(&path)).unwrap().shards, Some(4));
    std::fs::write(&path, "shard = 4").unwrap();
    let error = Config::load(Some(&path)).unwrap_err().to_string();
    assert_eq!(error, format!("{}, line 1: there is no key shard: did you mean shards?", path.display()));
}

#[test]
fn a_place_for_data_opens_its_store() {
    let place = tempfile::TempDir::new().unwrap();
    let folder = DataPlace::Folder(place.path().join("data"));
    for data in [DataPlace::from("memory"), folder.clone()] {
        assert_eq!(data.open().unwrap().load().unwrap(), crate::store::Snapshot::default());
    }
    let _first = folder.open().unwrap();
    assert!(folder.open().is_err_and(|error| error.message.contains("another folder")));
}

#[test]
fn a_host_and_port_reads_back_as_written() {
    for text in ["h:1", "divvy.example.org:65535", "10.0.0.1:9092", "[::1]:9092"] {
        assert_eq!(text.parse::<HostPort>().unwrap().to_string(), text);
    }
    for text in ["", "h", ":1", "h:", "h:65536", "[]:1", "[h]:1", "[::1:1", "a b:1", "h/x:1"] {
        assert!(text.parse::<HostPort>().is_err(), "{text:?}");
    }
}

#[test]
fn only_a_regular_file_of_bounded_length_is_read() {
    let place = tempfile::TempDir::new().unwrap();
    let say = |path: &Path| Config::load(Some(path)).unwrap_err().to_string();
    assert!(say(place.path()).contains("it is a folder, not a file"));
    assert!(say(Path::new("/dev/zero")).contains("it is a pipe or a device, not a file"));
    let long = place.path().join("long.toml");
    std::fs::write(&long, vec![b'\n'; file::MAX_CONFIG_BYTES as usize + 1]).unwrap();
    assert!(say(&long).contains("it has more than 1048576 bytes"));
    std::fs::write(&long, [0xff]).unwrap();
    assert!(say(&long).contains("it is not UTF-8 text"));
}

#[test]
fn a_data_folder_is_held_while_its_store_is_open() {
    let place = tempfile::TempDir::new().unwrap();
    let data = DataPlace::Folder(place.path().join("data"));
    assert!(!data.is_held() && !DataPlace::Memory.is_held());
    let store = data.open().unwrap();
    assert!(data.is_held());
    drop(store);
    assert!(!data.is_held());
    std::fs::write(place.path().join("file"), "").unwrap();
    for unusable in ["file", "file/data"] {
        let error = DataPlace::Folder(place.path().join(unusable)).open().err().unwrap();
        assert!(error.message.contains("name another one with `data`"), "{error}");
        assert!(!error.message.contains("anew"), "{error}");
    }
}

#[test]
fn a_filter_without_a_target_names_a_level() {
    for good in ["", "info", "INFO", "off", "divvy=debug", "warn,divvy::server=trace", "[span{a=1}]=debug,info"] {
        assert!(is_log_filter(good), "{good}");
    }
    for bad in ["loud", "info,loud", "divvy", "divvy=loud"] {
        assert!(!is_log_filter(bad), "{bad}");
    }
}

/// The addresses may come from the command line, which says nothing of encryption and login.
#[test]
fn how_a_cluster_is_connected_to_stays_without_its_addresses() {
    let text = r#"
        kafka.security.protocol = "SASL_PLAINTEXT"
        kafka.sasl.mechanism = "PLAIN"
        kafka.sasl.username = "divvy"
        kafka.metadata.max.age.ms = 700
    "#;
    let mut config = parse(text).unwrap();
    let problems = config.check().unwrap_err().problems;
    assert!(problems[0].contains("not where it is") && problems[0].contains("--kafka"), "{problems:?}");
    let kafka = config.kafka.as_mut().unwrap();
    assert_eq!(kafka.security.login.as_ref().map(|login| login.user.as_str()), Some("divvy"));
    assert_eq!(kafka.max_age, Duration::from_millis(700));
    kafka.servers = vec!["kafka:9092".to_owned()];
    config.check().unwrap();
    assert_eq!(parse("").unwrap().kafka, None, "no key, no cluster");
}
