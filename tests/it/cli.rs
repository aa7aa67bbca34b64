//! The program `divvy` as people and scripts run it: what it prints, and with which exit code it ends.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli_ground::{Running, built, divvy, fails, json, nobody, stdout};

#[test]
fn without_arguments_it_teaches() {
    let output = divvy(&[]);
    assert!(output.status.success());
    for command in ["divvy serve", "divvy join --group", "divvy groups describe"] {
        assert!(stdout(&output).contains(command));
    }
}

#[test]
fn a_file_of_cases_is_checked_with_a_line_each() {
    let module = built("range");
    let good = divvy(&["assignor", "check", &module, "--vectors", "tests/vectors/range.json"]);
    assert!(good.status.success(), "{}", stdout(&good));
    let cases: Value = serde_json::from_slice(&std::fs::read("tests/vectors/range.json").unwrap()).unwrap();
    let count = cases.as_array().unwrap().len();
    let first: Vec<_> = stdout(&good).lines().take(7).map(|line| line[8..20].trim().to_owned()).collect();
    assert_eq!(first, ["abi", "imports", "manifest", "size", "limits", "smoke", "determinism"]);
    assert_eq!(stdout(&good).lines().count(), first.len() + count + 1);
    assert_eq!(stdout(&good).lines().last(), Some(format!("{count} of {count} cases hold").as_str()));
    fails(&["assignor", "check", &module, "--vectors", "tests/vectors/roundrobin.json"], 1, &["cases", "fail"]);
}

#[test]
fn an_operator_checks_a_module_under_his_own_configuration() {
    let module = built("range");
    let digest = json(&["assignor", "inspect", &module])["digest"].as_str().unwrap().to_owned();
    let (_folder, config) =
        with_file("divvy.toml", &format!("module.allowed = [\"{digest}\"]\nmodule.max_call_ms = 700\n"));
    let good = divvy(&["assignor", "check", &module, "--config", &config]);
    assert!(good.status.success(), "{}", stdout(&good));
    for line in [
        "ok      trust              its digest is in module.allowed",
        "64 MiB and 700 ms a call (a manifest may ask for 256 MiB and 700 ms)",
    ] {
        assert!(stdout(&good).contains(line), "{}", stdout(&good));
    }
    let (_other, config) = with_file("divvy.toml", &format!("module.allowed = [\"sha256:{}\"]\n", "0".repeat(64)));
    let refused = divvy(&["assignor", "check", &module, "--config", &config]);
    assert!(stdout(&refused).starts_with("FAILED  trust "), "{}", stdout(&refused));
    fails(&["assignor", "check", &module, "--config", &config], 1, &["no `divvy serve --config", "would load it"]);
    fails(&["assignor", "check", &module, "--config", "no-such.toml"], 4, &["no-such.toml"]);
}

#[test]
fn a_failure_says_what_to_do_and_has_its_own_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("divvy.toml");
    std::fs::write(&config, "isten = \"127.0.0.1:0\"\n").unwrap();
    let taken = nobody();
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let in_use = held.local_addr().unwrap().to_string();

    fails(&["topics", "create"], 2, &["TOPIC"]);
    fails(&["serve", "--config", config.to_str().unwrap()], 2, &["line 1", "did you mean listen"]);
    fails(&["topics", "list", "--server", &taken], 3, &[&taken, "divvy serve"]);
    fails(&["assignor", "inspect", "no-such.wasm"], 4, &["no-such.wasm"]);
    fails(&["serve", "--data", "memory", "--listen", &in_use], 5, &[&in_use, "name another port"]);
    let here = ["join", "--group", "g", "--topic", "t", "--assignors", "no-such-folder"];
    fails(&here, 4, &["--assignors", "no-such-folder"]);
}

#[test]
fn a_group_is_served_joined_described_and_left() {
    let mut server =
        Running::start(&["serve", "--data", "memory", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]);
    let serving = server.event("serving");
    let (kafka, admin) = (serving["kafka"].as_str().unwrap(), serving["admin"].as_str().unwrap());
    let to = ["--server", kafka];

    let made = json(&[&["topics", "create", "clicks", "--partitions", "3"][..], &to].concat());
    assert_eq!(made["partitions"], 3);
    fails(&[&["topics", "create", "clicks"][..], &to].concat(), 1, &["exists already"]);
    assert_eq!(json(&[&["topics", "list"][..], &to].concat())[0]["name"], "clicks");
    fails(&[&["groups", "describe", "search"][..], &to].concat(), 4, &["search", "divvy groups list"]);

    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(built("range"), folder.path().join("range.wasm")).unwrap();
    let modules = folder.path().to_str().unwrap();
    let join = ["join", "--group", "search", "--topic", "clicks", "--client-id", "ana", "--assignors", modules];
    let mut member = Running::start(&[&join[..], &to].concat());
    let assigned = member.event("assigned");
    assert_eq!((&assigned["protocol"], &assigned["role"]), (&Value::from("range"), &Value::from("leader")));
    assert_eq!(assigned["partitions"], serde_json::json!({ "clicks": [0, 1, 2] }));

    let group = json(&[&["groups", "describe", "search", "--admin", admin][..], &to].concat());
    assert_eq!((&group["state"], &group["plan_digest"]), (&Value::from("Stable"), &assigned["digest"]));
    assert_eq!(group["members"][0]["modules"][0]["protocol"], "range");
    let plain = json(&[&["groups", "describe", "search"][..], &to].concat());
    assert_eq!(plain["members"][0]["state"], group["members"][0]["state"]);
    assert_eq!(json(&[&["groups", "list"][..], &to].concat())[0]["id"], "search");

    assert_eq!(member.interrupt(), 0);
    member.event("left");
    assert_eq!(server.interrupt(), 0);
}

/// A static member that was killed comes back under its name: the same place, the same generation.
#[test]
fn a_member_with_an_instance_id_takes_its_place_again() {
    let (_server, kafka) = server();
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().to_str().unwrap();
    let to = ["--server", kafka.as_str()];
    json(&[&["topics", "create", "clicks", "--partitions", "3"][..], &to].concat());
    let join = ["join", "--group", "g", "--topic", "clicks", "--instance-id", "worker-1", "--assignors", modules];
    let place = |ended: bool| {
        let mut member = Running::start(&[&join[..], &to].concat());
        let assigned = member.event("assigned");
        assert_eq!(assigned["partitions"], serde_json::json!({ "clicks": [0, 1, 2] }));
        if ended {
            assert_eq!(member.interrupt(), 0);
        }
        assigned["generation"].clone()
    };
    let group = || json(&[&["groups", "describe", "g"][..], &to].concat());
    let first = place(false);
    assert_eq!(group()["members"][0]["instance"], "worker-1");
    assert_eq!(place(true), first, "it was killed, and nobody rebalanced");
    let members = group()["members"].as_array().unwrap().len();
    assert_eq!((members, place(false)), (1, first), "it ended, and was expected back");
}

/// A server for one test, and where it is.
fn server() -> (Running, String) {
    let mut server = Running::start(&["serve", "--data", "memory", "--listen", "localhost:0", "--admin", "off"]);
    let serving = server.event("serving");
    assert_eq!(serving["admin"], Value::Null);
    let kafka = serving["kafka"].as_str().unwrap().to_owned();
    (server, kafka)
}

/// A folder with one file in it.
fn with_file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn a_member_that_nobody_reads_leaves_its_group() {
    let (_server, kafka) = server();
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().to_str().unwrap();
    let join = ["join", "--group", "g", "--topic", "t", "--assignors", modules, "--server", &kafka];
    let mut unread = Command::new(env!("CARGO_BIN_EXE_divvy"));
    let mut unread = unread.args(join).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(unread.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next(), Some(format!("joining g at {kafka} …")));
    assert!(lines.any(|line| line.starts_with("leads and owns t 0-11")));
    // The reader goes away, as `head` does; the next thing to tell is that another member comes.
    drop(lines);
    let mut other = Running::start(&join);
    assert_eq!(unread.wait().unwrap().code(), Some(141));
    while other.event("assigned")["partitions"]["t"].as_array().unwrap().len() < 12 {}
    let group = json(&["groups", "describe", "g", "--server", &kafka]);
    assert_eq!(group["members"].as_array().unwrap().len(), 1);
}

#[test]
fn a_closed_terminal_is_left_in_good_order() {
    let (mut server, kafka) = server();
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().to_str().unwrap();
    let short = ["--session-timeout-ms", "6000", "--rebalance-timeout-ms", "8000"];
    let join = ["join", "--group", "g", "--topic", "t", "--assignors", modules, "--server", &kafka];
    let mut member = Running::start(&[&join[..], &short].concat());
    member.event("assigned");
    assert_eq!(member.signal("HUP"), 0);
    member.event("left");
    assert_eq!(server.signal("TERM"), 0);
    fails(&[&join[..], &["--session-timeout-ms", "0"]].concat(), 2, &["--session-timeout-ms"]);
}

#[test]
fn a_command_that_nobody_reads_ends_quietly() {
    for command in
        ["--help", "serve --print-config", "assignor check assignors/range.wasm --vectors tests/vectors/range.json"]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut program = Command::new(env!("CARGO_BIN_EXE_divvy"));
        let output = program.args(command.split(' ')).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = output.wait_with_output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 141)), "{command}: {:?}", output.status);
        assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_was_named_and_is_not_there_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().to_str().unwrap();
    let gone = nobody();
    let join = ["join", "--group", "g", "--topic", "t", "--assignors", modules, "--server", &gone];
    let none = Running::start(&join).event("no_modules");
    assert_eq!(none["folders"][0], modules);
    std::fs::copy(built("range"), folder.path().join("range.wasm")).unwrap();
    let mut named = Running::start(&[&join[..], &["--assignor", "nope,range@9,range,rack-aware@1"]].concat());
    for missing in ["nope", "range@9", "rack-aware@1"] {
        assert_eq!(named.event("assignor_missing")["assignor"], missing);
    }
    named.event("offers");
}

#[test]
fn every_failure_is_one_object_for_scripts() {
    assert_eq!(json(&["--version"])["version"], env!("CARGO_PKG_VERSION"));
    let module = built("range");
    let (_folder, broken) = with_file("broken.json", "[{]");
    let (_other, empty) = with_file("empty.json", "[]");
    let (_third, odd) = with_file("odd.json", r#"{"name": "odd", "topics": {}, "members": [], "expekt": {}}"#);
    let run = |input: &'static str| vec!["assignor", "run", "--module", "assignors/range.wasm", "--input", input];
    let gone = nobody();
    let gone = gone.as_str();
    let login = |file: &'static str| {
        let to = ["topics", "list", "--server", gone, "--sasl", "plain", "--sasl-user", "u", "--sasl-password-file"];
        [&to[..], &[file]].concat()
    };
    for (arguments, code, kind) in [
        (run("no-such.json"), 4, "not_found"),
        (run("/dev/zero"), 2, "usage"),
        (run("tests"), 2, "usage"),
        (vec!["assignor", "run", "--module", &module, "--input", &broken], 2, "usage"),
        (vec!["assignor", "run", "--module", &module, "--input", &empty], 2, "usage"),
        (vec!["assignor", "check", &module, "--vectors", &odd], 2, "usage"),
        (vec!["assignor", "run", "--module", "no-such.wasm", "--input", &odd], 2, "usage"),
        (vec!["assignor", "inspect", "/dev/zero"], 2, "usage"),
        (vec!["serve", "--config", "/dev/zero"], 2, "usage"),
        (vec!["serve", "--config", "no-such.toml"], 4, "not_found"),
        (vec!["topics", "list", "--server", gone, "--tls-ca", "no-such.pem"], 4, "not_found"),
        (vec!["topics", "list", "--server", gone, "--tls-ca", "tests"], 2, "usage"),
        (vec!["groups", "list", "--server", gone, "--command-config", "no-such.properties"], 4, "not_found"),
        (login("no-such.password"), 4, "not_found"),
        (vec!["topics", "list", "--server", gone], 3, "unreachable"),
        (vec!["topics", "list", "--server", "nohost"], 2, "usage"),
        (vec!["groups", "list", "--admin", gone], 3, "unreachable"),
        (vec!["serve", "--log", "loud", "--data", "memory"], 2, "usage"),
        (vec!["join", "--group", "g", "--topic", "t", "--rack", "a", "--fact", "rack=b"], 2, "usage"),
    ] {
        let output = divvy(&[&arguments[..], &["--json"]].concat());
        let error: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", stdout(&output)));
        assert_eq!((output.status.code(), error["error"]["kind"].as_str()), (Some(code), Some(kind)), "{arguments:?}");
        assert!(error["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_admin_port_that_is_silent_is_not_replaced_unless_a_server_is_named() {
    let (_server, kafka) = server();
    let silent = nobody();
    fails(&["groups", "list", "--admin", &silent], 3, &[&silent, "--server"]);
    assert_eq!(json(&["groups", "list", "--admin", &silent, "--server", &kafka]), serde_json::json!([]));
}

#[test]
fn a_data_folder_that_is_held_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let serve = ["serve", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0", "--admin", "off"];
    let mut first = Running::start(&serve);
    first.event("serving");
    fails(&serve, 5, &["holds the store", "another folder"]);
    assert_eq!(first.interrupt(), 0);
    let (_folder, file) = with_file("file", "");
    fails(&["serve", "--data", &file, "--listen", "127.0.0.1:0", "--admin", "off"], 1, &[&file, "--data"]);
}

#[test]
fn a_group_with_a_hostile_name_cannot_write_to_the_terminal() {
    let (_server, kafka) = server();
    let folder = tempfile::tempdir().unwrap();
    let modules = folder.path().to_str().unwrap();
    let name = "g\u{1b}[2J\nfake";
    let join = ["join", "--group", name, "--topic", "t", "--assignors", modules, "--server", &kafka];
    Running::start(&join).event("assigned");
    for command in [&["groups", "list"][..], &["groups", "describe", name]] {
        let output = divvy(&[command, &["--server", &kafka]].concat());
        let text = stdout(&output);
        assert!(output.status.success() && text.contains(r"g\u{1b}[2J\nfake") && !text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn states_are_checked_as_they_are_shown() {
    let module = built("active-standby");
    let group = r#""topics": {}, "members": [{"id": "a", "topics": []}, {"id": "b", "topics": []}]"#;
    let (_folder, case) = with_file("case.json", &format!("{{{group}}}"));
    let plan = json(&["assignor", "run", "--module", &module, "--input", &case]);
    let expect = plan["plan"].to_string();
    let (_other, right) = with_file("right.json", &format!(r#"{{"name": "right", {group}, "expect": {expect}}}"#));
    assert!(divvy(&["assignor", "check", &module, "--vectors", &right]).status.success());
    let wrong = expect.replace("active", "idle");
    let (_third, wrong) = with_file("wrong.json", &format!(r#"{{"name": "wrong", {group}, "expect": {wrong}}}"#));
    fails(&["assignor", "check", &module, "--vectors", &wrong], 1, &["1 of 1 cases", "fail"]);
    let told = divvy(&["--json", "assignor", "check", &module, "--vectors", &wrong]);
    assert_eq!(told.status.code(), Some(1));
    let told = stdout(&told);
    let lines = told.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let failed: Vec<Value> = lines.filter(|line| line["ok"] != true).collect();
    assert_eq!(failed.len(), 2, "a line for each thing, and the error: {told}");
    assert_eq!(
        (&failed[0]["case"], &failed[1]["error"]["kind"]),
        (&serde_json::json!("wrong"), &serde_json::json!("failed")),
        "{told}"
    );
    assert!(failed[1]["error"]["message"].as_str().unwrap().contains("1 of 1 cases"), "{told}");
}
