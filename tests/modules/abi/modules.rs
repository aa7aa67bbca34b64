//! The modules of `tests/abi/modules`, each with what a host must answer to it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use divvy::assignor::CallError;
use divvy::assignor::case::read_cases;
use divvy::assignor::manifest::Shape;
use divvy::sandbox::{Sandbox, SandboxLimits};
use serde_json::json;

use super::folder;

/// Most of the suite's modules; fewer are a sign that the folder was not read.
const LEAST: usize = 50;

/// What a host answers to a module: where it fails, and by which name.
fn answer(sandbox: &Sandbox, path: &Path, text: &str) -> (String, String) {
    let bytes = wat::parse_str(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let module = match sandbox.load(&bytes, path) {
        Ok(module) => module,
        Err(error) => return (format!("load {}", error.kind.name()), error.message),
    };
    let cases = read_cases(match module.manifest().shape {
        Shape::Partitions => json!({
            "topics": { "ant": { "partitions": 2 }, "bee": { "partitions": 1 } },
            "members": [{ "id": "a", "topics": ["ant", "bee"] }],
            "expect": { "a": { "ant": [0, 1], "bee": [0] } },
        }),
        Shape::States => json!({ "members": [{ "id": "a" }], "expect": { "a": { "text": "s" } } }),
    });
    match cases.unwrap()[0].lead(&*module) {
        Ok(_) => ("plan".to_owned(), String::new()),
        Err(CallError { kind, message, .. }) => (format!("call {}", kind.name()), message),
    }
}

#[test]
fn each_module_gets_the_answer_that_it_says() {
    let limits = SandboxLimits { call_time: Duration::from_millis(100), ..SandboxLimits::default() };
    let sandbox = Sandbox::new(limits).unwrap();
    let mut count = 0;
    for entry in fs::read_dir(folder().join("modules")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let gives = text.lines().nth(1).and_then(|line| line.strip_prefix(";; gives: "));
        let gives = gives.unwrap_or_else(|| panic!("{}: its second line is no `;; gives: …`", path.display()));
        let (answer, message) = answer(&sandbox, &path, &text);
        assert_eq!(answer, gives, "{}: {message}", path.display());
        count += 1;
    }
    assert!(count >= LEAST, "{count} modules");
}
