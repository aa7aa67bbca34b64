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
