//! The program `divvy` as people and scripts run it: what it prints, and with which exit code it ends.

use std::io::{BufRead, BufReader, Lines};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

/// One command, run to its end.
fn divvy(arguments: &[&str]) -> Output {
    let program = Command::new(env!("CARGO_BIN_EXE_divvy")).args(arguments).env_remove("DIVVY_ASSIGNORS").output();
    program.unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it prints with `--json`, when it succeeds.
fn json(arguments: &[&str]) -> Value {
    let output = divvy(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// It fails with that exit code, and its sentence has these words.
fn fails(arguments: &[&str], code: i32, words: &[&str]) {
    let output = divvy(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: {word:?} is not in {said:?}");
    }
}

/// A file of the repository; tests run at its root.
fn built(module: &str) -> String {
    let path = format!("assignors/{module}.wasm");
    assert!(Path::new(&path).is_file(), "{path} is missing: `cargo xtask guests` builds it");
    path
}

/// A command that goes on: its lines of JSON, and its end with the test.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
        command.args(arguments).args(["--json"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next event of that name; others are passed over.
    fn event(&mut self, name: &str) -> Value {
        loop {
            let line = self.lines.next().unwrap_or_else(|| panic!("it ended before {name:?}")).unwrap();
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"] == name {
                return event;
            }
        }
    }

    /// Ctrl-C.
    fn interrupt(&mut self) -> i32 {
        Command::new("sh").args(["-c", &format!("kill -INT {}", self.child.id())]).status().unwrap();
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn without_arguments_it_teaches() {
    let output = divvy(&[]);
    assert!(output.status.success());
    for command in ["divvy serve", "divvy join --group", "divvy groups describe"] {
        assert!(stdout(&output).contains(command));
    }
}

#[test]
fn a_case_is_run_and_its_plan_printed() {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case.json");
    let members = r#"[{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}]"#;
    std::fs::write(&case, format!(r#"{{"topics": {{"t": {{"partitions": 3}}}}, "members": {members}}}"#)).unwrap();
    let case = case.to_str().unwrap();
    let plan = json(&["assignor", "run", "--module", &built("range"), "--input", case]);
    assert_eq!(plan, serde_json::json!({ "plan": { "a": { "t": [0, 1] }, "b": { "t": [2] } } }));

    let refused = divvy(&["assignor", "run", "--module", "README.md", "--input", case, "--json"]);
    let error: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!((refused.status.code(), &error["error"]["kind"]), (Some(1), &Value::from("rejected")));
}

#[test]
fn a_file_of_cases_is_checked_with_a_line_each() {
    let module = built("range");
    let good = divvy(&["assignor", "check", &module, "--vectors", "tests/vectors/range.json"]);
    assert!(good.status.success(), "{}", stdout(&good));
    let cases: Value = serde_json::from_slice(&std::fs::read("tests/vectors/range.json").unwrap()).unwrap();
    assert_eq!(stdout(&good).lines().count(), cases.as_array().unwrap().len());
    fails(&["assignor", "check", &module, "--vectors", "tests/vectors/roundrobin.json"], 1, &["cases", "fail"]);
}

#[test]
fn a_failure_says_what_to_do_and_has_its_own_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("divvy.toml");
    std::fs::write(&config, "isten = \"127.0.0.1:0\"\n").unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
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
    assert_eq!(json(&[&["topics", "list"][..], &to].concat())[0]["topic"], "clicks");
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
