//! `divvy assignor run`: what a case can say, and what is printed of it.

use serde_json::Value;

use crate::cli_ground::{built, divvy, fails, json};

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
fn a_case_tells_lags_and_facts_that_a_strategy_needs() {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case.json");
    let path = case.to_str().unwrap();
    let run = |module: &str, text: Value| {
        std::fs::write(&case, text.to_string()).unwrap();
        json(&["assignor", "run", "--module", &built(module), "--input", path])["plan"].take()
    };
    // The loads beside say nothing of the lags; the last partition, whose lag nobody knows, evens out the numbers.
    let behind = serde_json::json!({ "t": { "partitions": 4, "loads": [1, 1, 1, 1], "lag": [5, 4, 1, null] } });
    let two = serde_json::json!([{ "id": "a", "topics": ["t"] }, { "id": "b", "topics": ["t"] }]);
    let plan = run("lag-aware", serde_json::json!({ "topics": behind, "members": two }));
    assert_eq!(plan, serde_json::json!({ "a": { "t": [0, 3] }, "b": { "t": [1, 2] } }));

    let with = |fact: Value| {
        let strong = serde_json::json!({ "id": "a", "topics": ["t"], "facts": { "cores": 4 } });
        let weak = serde_json::json!({ "id": "b", "topics": ["t"], "facts": { "cores": 1 } });
        let (topics, config) = (serde_json::json!({ "t": { "partitions": 5 } }), serde_json::json!({ "fact": fact }));
        serde_json::json!({ "topics": topics, "members": [strong, weak], "config": config })
    };
    let plan = run("weighted", with("cores".into()));
    assert_eq!([&plan["a"]["t"], &plan["b"]["t"]].map(|list| list.as_array().map(Vec::len)), [Some(4), Some(1)]);
    // A refusal has its code, for people too: a case expects it by that.
    std::fs::write(&case, with(3.into()).to_string()).unwrap();
    fails(&["assignor", "run", "--module", &built("weighted"), "--input", path], 1, &["(bad_config): ", "fact is 3"]);
}

/// A name is bytes to the system, and a document is text.
#[cfg(unix)]
#[test]
fn a_folder_may_have_any_name() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join(OsStr::from_bytes(b"b\xff"));
    std::fs::create_dir(&odd).unwrap();
    let at = |name: &str| odd.join(name);
    std::fs::copy(built("range"), at("m.wasm")).unwrap();
    std::fs::write(at("m.json"), r#"{"abi": "1.0", "name": "mine"}"#).unwrap();
    std::fs::write(at("z.capture"), "no capture").unwrap();
    let run = |words: &[&str], paths: &[std::path::PathBuf]| {
        let paths = paths.iter().map(|path| path.clone().into_os_string());
        let words = words.iter().map(OsString::from).chain(paths).chain([OsString::from("--json")]);
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_divvy")).arg("assignor").args(words).output().unwrap();
        let first = String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or_default().to_owned();
        (output.status.code(), serde_json::from_str::<Value>(&first).unwrap())
    };
    let ends =
        |value: &Value, end: &str| assert!(value.as_str().unwrap().ends_with(&format!("b\u{fffd}/{end}")), "{value}");
    let (code, said) = run(&["inspect"], &[at("m.wasm")]);
    assert_eq!(code, Some(0));
    ends(&said["file"], "m.wasm");
    let (code, said) = run(&["stamp"], &[at("m.wasm"), "--manifest".into(), at("m.json")]);
    assert_eq!(code, Some(0));
    ends(&said["file"], "m.wasm");
    for (words, paths) in [("replay", vec![at("z.capture")]), ("diff", vec![at("z.capture"), at("m.wasm")])] {
        let (code, said) = run(&[words], &paths);
        assert_eq!(code, Some(2), "{said}");
        ends(&said["capture"], "z.capture");
    }
}
