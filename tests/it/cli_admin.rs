//! Commands that change groups and topics: what they ask, what they print, with which exit code they end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};

use divvy::server::config::Config;
use divvy::topics::Topic;
use divvy::wire::frame::encode_request;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::{OffsetCommitRequest, OffsetFetchRequest};
use serde_json::{Value, json};

use crate::support::{Client, config, run, serve};

/// One command against that server, with nobody at the keyboard.
async fn divvy(server: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
    command.args(arguments).args(["--server", server]).stdin(Stdio::null());
    run(command).await
}

async fn json_of(server: &str, arguments: &[&str]) -> Value {
    let output = divvy(server, &[arguments, &["--json"]].concat()).await;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// It fails with that exit code, and its sentence has these words.
async fn fails(server: &str, arguments: &[&str], code: i32, words: &[&str]) {
    let output = divvy(server, arguments).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: {word:?} is not in {said:?}");
    }
}

async fn commit(client: &mut Client, group: &str, offsets: &[(i32, i64)]) {
    let partition = |(partition_index, committed_offset): &(i32, i64)| OffsetCommitRequestPartition {
        partition_index: *partition_index,
        committed_offset: *committed_offset,
        ..Default::default()
    };
    let topics =
        vec![OffsetCommitRequestTopic { name: "clicks".into(), partitions: offsets.iter().map(partition).collect() }];
    let answer = client.ask(7, &OffsetCommitRequest { group_id: group.into(), topics, ..Default::default() }).await;
    assert!(answer.topics[0].partitions.iter().all(|it| !it.error_code.is_error()));
}

async fn committed(client: &mut Client, group: &str) -> Vec<(i32, i64)> {
    let answer =
        client.ask(5, &OffsetFetchRequest { group_id: group.into(), topics: None, ..Default::default() }).await;
    answer.topics.iter().flat_map(|it| &it.partitions).map(|it| (it.partition_index, it.committed_offset)).collect()
}

#[tokio::test]
async fn topics_grow_and_go() {
    let server = serve(config()).await;
    let kafka = server.addr().to_string();
    assert_eq!(json_of(&kafka, &["topics", "create", "clicks", "--partitions", "2"]).await["partitions"], 2);
    let tried = json_of(&kafka, &["topics", "add-partitions", "clicks", "--to", "5", "--dry-run"]).await;
    assert_eq!(tried, json!({ "name": "clicks", "partitions": 5, "done": false }));
    assert_eq!(json_of(&kafka, &["topics", "list"]).await[0]["partitions"], 2);
    assert_eq!(json_of(&kafka, &["topics", "add-partitions", "clicks", "--to", "5"]).await["done"], true);
    assert_eq!(json_of(&kafka, &["topics", "list"]).await[0]["partitions"], 5);
    let smaller = ["topics", "add-partitions", "clicks", "--to", "5"];
    fails(&kafka, &smaller, 1, &["clicks has 5 partitions already", "above 5"]).await;
    fails(&kafka, &["topics", "add-partitions", "nope", "--to", "5"], 4, &["nope", "divvy topics list"]).await;

    fails(&kafka, &["topics", "delete", "clicks"], 2, &["clicks", "--yes"]).await;
    assert_eq!(json_of(&kafka, &["topics", "list"]).await.as_array().unwrap().len(), 1, "nobody said yes");
    fails(&kafka, &["topics", "delete", "nope", "--yes"], 4, &["nope", "divvy topics list"]).await;
    let some = divvy(&kafka, &["topics", "delete", "clicks", "nope", "-y", "--json"]).await;
    assert_eq!(some.status.code(), Some(4), "one of them is not there");
    let told: Value = serde_json::from_slice(&some.stdout).expect("one document");
    assert_eq!((&told[0], &told[1]["deleted"]), (&json!({ "name": "clicks", "deleted": true }), &json!(false)));
    assert_eq!(json_of(&kafka, &["topics", "list"]).await, json!([]));
    server.stop().await;
}

#[tokio::test]
async fn groups_are_deleted_when_they_are_empty() {
    let server = serve(config()).await;
    let kafka = server.addr().to_string();
    let mut client = Client::connect(server.addr()).await;
    json_of(&kafka, &["topics", "create", "clicks", "--partitions", "4"]).await;
    commit(&mut client, "idle", &[(0, 7)]).await;
    client.become_leader("busy", b"all").await;
    fails(&kafka, &["groups", "delete", "idle"], 2, &["idle", "--yes"]).await;
    assert_eq!(committed(&mut client, "idle").await, [(0, 7)]);
    fails(&kafka, &["groups", "delete", "busy", "--yes"], 1, &["\"busy\" has members", "divvy groups describe"]).await;
    fails(&kafka, &["groups", "delete", "nope", "--yes"], 4, &["\"nope\"", "divvy groups list"]).await;
    let several = ["groups", "delete", "nope", "busy", "other", "--yes"];
    fails(&kafka, &several, 1, &["\"busy\" has members", "no group \"nope\"", "no group \"other\""]).await;
    let told = divvy(&kafka, &[&several[..], &["--json"]].concat()).await;
    let told: Value = serde_json::from_slice(&told.stdout).expect("one document");
    let ids: Vec<_> = told.as_array().unwrap().iter().map(|it| (&it["id"], it["error"].is_string())).collect();
    assert_eq!(ids, [(&json!("busy"), true), (&json!("nope"), true), (&json!("other"), true)]);
    let gone = json_of(&kafka, &["groups", "delete", "idle", "--yes"]).await;
    assert_eq!(gone, json!([{ "id": "idle", "deleted": true }]));
    assert_eq!(committed(&mut client, "idle").await, []);
    server.stop().await;
}

#[tokio::test]
async fn offsets_are_shown_first_and_then_set() {
    let server = serve(config()).await;
    let kafka = server.addr().to_string();
    let mut client = Client::connect(server.addr()).await;
    json_of(&kafka, &["topics", "create", "clicks", "--partitions", "4"]).await;
    commit(&mut client, "g", &[(0, 7), (1, 40)]).await;
    commit(&mut client, "ahead", &[(0, 100)]).await;
    let reset = |more: &[&'static str]| [&["groups", "reset-offsets", "g"][..], more].concat();
    let new = |report: &Value| -> Vec<i64> {
        report["partitions"].as_array().unwrap().iter().map(|line| line["new"].as_i64().unwrap()).collect()
    };

    let shown = json_of(&kafka, &reset(&["--topic", "clicks:0-1", "--shift-by", "-10"])).await;
    assert_eq!((&shown["executed"], new(&shown)), (&json!(false), vec![0, 30]));
    assert_eq!(
        shown["partitions"][0],
        json!({ "topic": "clicks", "partition": 0, "committed": 7, "new": 0, "end": 100, "asked": -3 })
    );
    assert_eq!(committed(&mut client, "g").await, [(0, 7), (1, 40)], "it was only shown");
    let text = divvy(&kafka, &reset(&["--topic", "clicks:0", "--to-offset", "3"])).await;
    assert!(String::from_utf8(text.stdout).unwrap().contains("--execute"));

    let done = json_of(&kafka, &reset(&["--topic", "clicks", "--to-latest", "--execute"])).await;
    assert_eq!((&done["executed"], new(&done)), (&json!(true), vec![100, 40, 0, 0]));
    assert_eq!(committed(&mut client, "g").await, [(0, 100), (1, 40), (2, 0), (3, 0)]);
    json_of(&kafka, &reset(&["--topic", "clicks:3,1", "--to-offset", "5", "--execute"])).await;
    json_of(&kafka, &reset(&["--topic", "clicks:0", "--to-earliest", "--execute"])).await;
    assert_eq!(committed(&mut client, "g").await, [(0, 0), (1, 5), (2, 0), (3, 5)]);
    // A group that is not there yet begins where it is told to.
    let begun = ["groups", "reset-offsets", "new", "--topic", "clicks:2", "--to-offset", "9", "--execute"];
    json_of(&kafka, &begun).await;
    assert_eq!(committed(&mut client, "new").await, [(2, 9)]);

    fails(&kafka, &reset(&["--topic", "nope", "--to-latest"]), 4, &["nope", "divvy topics list"]).await;
    fails(&kafka, &reset(&["--topic", "clicks:4", "--to-latest"]), 4, &["no partition 4", "it has 4"]).await;
    fails(&kafka, &reset(&["--topic", "clicks"]), 2, &["--to-offset"]).await;
    fails(&kafka, &reset(&["--topic", "clicks", "--to-latest", "--to-earliest"]), 2, &["--to-latest"]).await;
    let nothing = ["groups", "reset-offsets", "ahead", "--topic", "clicks:1", "--shift-by", "1"];
    fails(&kafka, &nothing, 1, &["clicks-1", "--to-offset"]).await;
    fails(&kafka, &reset(&["--topic", "clicks", "--to-offset", "-3"]), 2, &["an offset is 0 or more"]).await;
    let nowhere = ["groups", "reset-offsets", "newer", "--topic", "clicks", "--shift-by", "5"];
    let said = divvy(&kafka, &nowhere).await;
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("has committed nothing") && !said.contains("makes it"), "{said}");
    let shown = divvy(&kafka, &["groups", "reset-offsets", "newer", "--topic", "clicks", "--to-latest"]).await;
    let said = String::from_utf8(shown.stderr).unwrap();
    assert!(said.contains("there is no group \"newer\" yet") && said.contains("--execute makes it"), "{said}");
    client.become_leader("g", b"all").await;
    fails(&kafka, &reset(&["--topic", "clicks", "--to-latest", "--execute"]), 1, &["has 1 member:", "stop it"]).await;
    server.stop().await;
}

/// However many partitions a topic has, the command's requests stay short.
#[tokio::test]
async fn offsets_of_a_large_topic_are_set_in_several_requests() {
    const PARTITIONS: i32 = 70_000;
    let large = Topic { partitions: PARTITIONS as u32, racks: Vec::new() };
    let server = serve(Config { topics: vec![("clicks".into(), large)], ..config() }).await;
    let kafka = server.addr().to_string();
    let mut client = Client::connect(server.addr()).await;
    let reset = ["groups", "reset-offsets", "g", "--topic", "clicks", "--to-offset", "5", "--execute"];
    let done = json_of(&kafka, &reset).await;
    assert_eq!(done["partitions"].as_array().unwrap().len(), PARTITIONS as usize);
    let mut all = committed(&mut client, "g").await;
    all.sort_unstable();
    assert_eq!(all, (0..PARTITIONS).map(|partition| (partition, 5)).collect::<Vec<_>>());
    server.stop().await;
}

/// The order of racks decides where partitions live: it is shown.
#[tokio::test]
async fn racks_are_listed_in_their_order() {
    let topic = |racks: &[&[&str]]| {
        let racks: Vec<Vec<String>> =
            racks.iter().map(|it| it.iter().map(|rack| (*rack).to_owned()).collect()).collect();
        Topic { partitions: racks.len() as u32, racks }
    };
    let topics = vec![
        ("ab".into(), topic(&[&["a"], &["b"], &["a"], &["b"]])),
        ("ba".into(), topic(&[&["b"], &["a"], &["b"], &["a"]])),
        ("pairs".into(), topic(&[&["b", "a"], &["a", "b"]])),
        ("uneven".into(), topic(&[&["a"], &["a"], &["b"]])),
    ];
    let server = serve(Config { topics, ..config() }).await;
    let text = divvy(&server.addr().to_string(), &["topics", "list"]).await;
    let text = String::from_utf8(text.stdout).unwrap();
    let racks: Vec<_> = text.lines().skip(1).map(|line| line.split_whitespace().skip(2).collect::<Vec<_>>()).collect();
    assert_eq!(racks, [vec!["a", "b"], vec!["b", "a"], vec!["b,a", "a,b"], vec!["a", "a", "b"]], "{text}");
    server.stop().await;
}

/// Kafka's protocol does not tell who leads with what: whoever asks that port is told where to ask.
#[tokio::test]
async fn describe_says_where_more_is_known() {
    let server = serve(config()).await;
    let (kafka, admin) = (server.addr().to_string(), server.admin_addr().unwrap().to_string());
    Client::connect(server.addr()).await.become_leader("g", b"all").await;
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    let less = text(divvy(&kafka, &["groups", "describe", "g"]).await);
    let more = text(divvy(&kafka, &["groups", "describe", "g", "--admin", &admin]).await);
    assert!(less.contains("--admin") && !more.contains("--admin"), "{less}\n{more}");
    server.stop().await;
}

/// The bounds are told by either port, so that error 26 need not be guessed at.
#[tokio::test]
async fn b69_the_bounds_are_shown_with_the_group() {
    let server = serve(config()).await;
    let (kafka, admin) = (server.addr().to_string(), server.admin_addr().unwrap().to_string());
    let mut client = Client::connect(server.addr()).await;
    client.become_leader("g", b"all").await;
    for port in [&[][..], &["--admin", &admin]] {
        let group = json_of(&kafka, &[&["groups", "describe", "g"][..], port].concat()).await;
        let limits = &group["limits"];
        assert_eq!(limits["group.min.session.timeout.ms"], 1, "{group}");
        assert_eq!(limits["group.max.session.timeout.ms"], 1_800_000, "{group}");
        let text = divvy(&kafka, &[&["groups", "describe", "g"][..], port].concat()).await;
        let text = String::from_utf8(text.stdout).unwrap();
        assert!(text.contains("group.max.session.timeout.ms 1800000"), "{text}");
    }
    server.stop().await;
}

/// What a peer does wrong stands in the log with its values: the key that nobody serves, the session timeout and its bounds.
#[test]
fn b69_b74_the_log_names_what_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
    command.args(["serve", "--json", "--data", "memory", "--listen", "127.0.0.1:0", "--admin", "off"]);
    command.current_dir(&folder).stdout(Stdio::piped()).stderr(std::fs::File::create(&log).unwrap());
    let mut server = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let serving: Value = serde_json::from_str(&line).unwrap();
    let mut stream = TcpStream::connect(serving["kafka"].as_str().unwrap()).unwrap();
    stream.set_read_timeout(Some(crate::support::DEADLINE)).unwrap();
    let mut request = crate::support::join("g", "");
    request.session_timeout_ms = 10;
    stream.write_all(&encode_request(5, 1, None, &request).unwrap()).unwrap();
    // A frame of key 999, version 0, number 2, without a client id.
    stream.write_all(b"\x00\x00\x00\x0a\x03\xe7\x00\x00\x00\x00\x00\x02\xff\xff").unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    assert!(answers.len() > 4, "the request before was answered");
    server.kill().unwrap();
    server.wait().unwrap();
    let log = std::fs::read_to_string(&log).unwrap();
    for words in ["API key 999", "session timeout 10 ms is outside 6000 to 1800000 ms"] {
        assert!(log.contains(words), "{words:?} is not in the log:\n{log}");
    }
}

#[tokio::test]
async fn every_shell_gets_its_completion() {
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef divvy"),
        ("fish", "complete -c divvy"),
        ("elvish", "edit:"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
        command.args(["completion", shell]);
        let output = run(command).await;
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && script.contains(sign) && script.contains("reset-offsets"), "{shell}");
    }
}
