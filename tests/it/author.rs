//! An author's day with nothing but the program and a Rust toolchain: new, build, check, test, bench, in both shapes, and without
//! a registry.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder in which an author works.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command in a folder, with nothing from the network. What is built lies where the next run finds it, and no other
    /// project's beside it: to cargo the SDKs of two are one library, and each build takes the other's away.
    fn command(&self, program: &str, project: &str, arguments: &[&str]) -> Output {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/author").join(project);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path(project));
        command.env("CARGO_NET_OFFLINE", "true").env("CARGO_TARGET_DIR", target).env_remove("DIVVY_ASSIGNORS");
        command.output().unwrap()
    }

    fn divvy(&self, project: &str, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_divvy"), project, arguments)
    }

    /// It succeeds; its lines of JSON.
    fn lines(&self, project: &str, arguments: &[&str]) -> Vec<Value> {
        let output = self.divvy(project, &[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
        json_lines(&output)
    }

    /// The project's own tests, which run its strategy as a function.
    fn tests_pass(&self, project: &str) {
        let output = self.command(env!("CARGO"), project, &["test", "--quiet"]);
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        assert!(text(&output.stdout).contains("test result: ok. "), "it has tests");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json_lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The names of what was looked at, under that key.
fn named<'v>(lines: &'v [Value], key: &str) -> Vec<&'v str> {
    lines.iter().filter_map(|line| line[key].as_str()).collect()
}

#[test]
fn a_strategy_of_partitions_is_made_built_checked_tested_and_measured() {
    let desk = Desk::new();
    let made = desk.lines("", &["assignor", "new", "by-size"]);
    assert_eq!((&made[0]["name"], &made[0]["language"]), (&Value::from("by-size"), &Value::from("rust")));
    desk.tests_pass("by-size");

    let built = &desk.lines("by-size", &["assignor", "build"])[0];
    assert_eq!((&built["file"], &built["protocol"]), (&Value::from("by-size.wasm"), &Value::from("by-size@1")));
    assert!(built["bytes"].as_u64().unwrap() < 100 * 1024, "{built}");
    let shown = &desk.lines("by-size", &["assignor", "inspect", "by-size.wasm"])[0];
    assert_eq!((&shown["stack_bytes"], &shown["digest"]), (&Value::from(65536), &built["digest"]));

    let checked = desk.lines("by-size", &["assignor", "check", "by-size.wasm", "--vectors", "vectors.json"]);
    assert_eq!(
        named(&checked, "check"),
        ["abi", "imports", "manifest", "size", "limits", "smoke", "determinism"],
        "what every member asks"
    );
    assert_eq!(named(&checked, "case").len(), 3);

    let tested = desk.lines("by-size", &["assignor", "test", "--groups", "120"]);
    assert_eq!(
        named(&tested, "law"),
        ["complete", "disjoint", "subscribed", "balanced(1)", "order_independent"],
        "{tested:?}"
    );

    let assignors = Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors");
    let beside = ["--group", "small", "--beside", "sticky,composite", "--assignors", assignors.to_str().unwrap()];
    let measured = desk.lines("by-size", &[&["assignor", "bench", "by-size.wasm"], &beside[..]].concat());
    let rows = measured[0]["rows"].as_array().unwrap();
    let of = |strategy: &str, step: &str| rows.iter().find(|row| row["strategy"] == strategy && row["step"] == step);
    assert_eq!(rows.len(), 6, "two strategies, three steps");
    assert_eq!(of("by-size@1", "one joins").unwrap()["moves"], 100, "cards are dealt anew");
    assert_eq!(of("sticky", "one joins").unwrap()["moves"], 10);
    assert!(of("by-size@1", "fresh").unwrap()["fuel"].as_u64().unwrap() > 1_000);
    assert_eq!(named(measured[0]["without"].as_array().unwrap(), "strategy"), ["composite@1"], "it wants settings");

    a_mistake_is_shown_on_a_small_group(&desk);
}

/// The last partition of each topic is forgotten: the law says so, and its case fails again.
fn a_mistake_is_shown_on_a_small_group(desk: &Desk) {
    let source = desk.path("by-size/src/lib.rs");
    let good = std::fs::read_to_string(&source).unwrap();
    let bad = good.replace("topic.partitions(), ", "topic.partitions().take_front(topic.len().saturating_sub(1)), ");
    assert_ne!(good, bad);
    std::fs::write(&source, bad).unwrap();
    let tested = desk.divvy("by-size", &["assignor", "test", "--json", "--groups", "50"]);
    assert_eq!(tested.status.code(), Some(1), "{}", text(&tested.stderr));
    let lines = json_lines(&tested);
    let broken = lines.iter().find(|line| line["law"] == "complete").unwrap();
    assert_eq!(broken["ok"], false);
    let case = &broken["case"];
    assert_eq!(case["topics"].as_object().unwrap().len(), 1, "{case}");
    assert_eq!(case["members"].as_array().unwrap().len(), 1, "{case}");

    std::fs::write(desk.path("by-size/case.json"), case.to_string()).unwrap();
    let again = desk.divvy("by-size", &["assignor", "check", "by-size.wasm", "--vectors", "case.json"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stdout).contains("law complete: "), "{}", text(&again.stdout));
    let shown = desk.divvy("by-size", &["assignor", "test", "by-size.wasm", "--groups", "50"]);
    assert!(text(&shown.stdout).contains("As a case for vectors.json:"), "{}", text(&shown.stdout));
}

#[test]
fn a_strategy_of_states_is_made_built_checked_tested_and_measured() {
    let desk = Desk::new();
    desk.lines("", &["assignor", "new", "thirds", "--shape", "states"]);
    desk.tests_pass("thirds");
    let tested = desk.lines("", &["assignor", "test", "thirds", "--groups", "60"]);
    assert_eq!(named(&tested, "law"), ["deterministic", "order_independent", "every_member"], "{tested:?}");
    assert_eq!(named(&tested, "case").len(), 2);
    let checked = desk.lines("thirds", &["assignor", "check", "thirds.wasm", "--vectors", "vectors.json"]);
    assert!(named(&checked, "check").contains(&"determinism"));
    let case = r#"{ "members": [{ "id": "a", "metadata": "standby" }, { "id": "b" }] }"#;
    std::fs::write(desk.path("thirds/case.json"), case).unwrap();
    let run = ["assignor", "run", "--module", "thirds.wasm", "--input", "case.json", "--request", "request.msgpack"];
    let plan = &desk.lines("thirds", &run)[0];
    let request = std::fs::read(desk.path("thirds/request.msgpack")).unwrap();
    assert!(request[0] == 0x98 && request.windows(7).any(|bytes| bytes == b"standby"), "8 items: {request:?}");
    assert_eq!(plan["plan"]["b"], serde_json::json!({ "text": "1/1" }));
    let measured = desk.lines("thirds", &["assignor", "bench", "thirds.wasm", "--alone", "--group", "small"]);
    assert_eq!(measured[0]["rows"].as_array().unwrap().len(), 3);
}

#[test]
fn a_strategy_may_refuse_what_it_says() {
    let desk = Desk::new();
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors/single-writer.wasm");
    let test = ["assignor", "test", module.to_str().unwrap(), "--groups", "90"];
    let refused = desk.divvy("", &test);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stdout);
    assert!(said.contains("it refused: no_full_reader: "), "{said}");
    assert_eq!(said.matches("The smallest group").count(), 1, "one refusal is shown once: {said}");
    for law in ["disjoint  ", "subscribed"] {
        let words = format!("FAILED  {law}         broken by the group above, too (shown for complete)");
        assert!(said.contains(&words), "{said}");
    }
    let lines = desk.lines("", &[&test[..], &["--may-refuse", "no_full_reader"]].concat());
    assert_eq!(named(&lines, "law"), ["complete", "disjoint", "subscribed"]);
    assert!(lines.iter().all(|line| (1..90).contains(&line["refused"].as_u64().unwrap())), "{lines:?}");
}

#[test]
fn what_cannot_be_made_or_built_says_what_to_do() {
    let desk = Desk::new();
    let fails = |arguments: &[&str], code: i32, words: &str| {
        let output = desk.divvy("", arguments);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(code) && said.contains(words), "{arguments:?}: {said}");
    };
    fails(&["assignor", "new", "By_Size"], 2, "such as by-size");
    fails(&["assignor", "new", "range"], 2, "Kafka's clients have a strategy of that name");
    fails(&["assignor", "new", "x", "--lang", "cobol"], 2, "rust");
    std::fs::create_dir(desk.path("taken")).unwrap();
    std::fs::write(desk.path("taken/notes.txt"), "mine").unwrap();
    fails(&["assignor", "new", "taken"], 2, "is there already");
    fails(&["assignor", "build", "taken"], 4, "`divvy assignor new NAME` makes one");
    fails(&["assignor", "build", "nowhere"], 4, "is no folder");
    fails(&["assignor", "test", "nowhere.wasm"], 4, "cannot be read");
    std::fs::write(desk.path("m.json"), r#"{"abi": "1.0", "name": "x", "versoin": 2}"#).unwrap();
    std::fs::write(desk.path("m.wasm"), b"\0asm\x01\0\0\0").unwrap();
    fails(&["assignor", "stamp", "m.wasm", "--manifest", "m.json"], 2, "did you mean \"version\"?");
    assert_eq!(std::fs::read(desk.path("m.wasm")).unwrap(), b"\0asm\x01\0\0\0", "it stays as it was");
}
