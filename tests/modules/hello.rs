//! The hello-world strategy of the guest SDK's documentation: as short as it says, and it runs.

use std::fs;
use std::path::Path;

use divvy::assignor::case::read_cases;
use divvy::sandbox::{Sandbox, SandboxLimits};
use serde_json::json;

/// What the SDK promises: a whole strategy is not longer.
const MAX_LINES: usize = 10;

#[test]
fn the_documented_strategy_is_short() {
    let source = fs::read_to_string(root().join("guest-sdk/examples/hello.rs")).unwrap();
    let code = source.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//!"));
    assert!(code.count() <= MAX_LINES);
}

#[test]
fn the_documented_strategy_runs_in_the_sandbox() {
    let path = root().join("target/guests/hello.wasm");
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run cargo xtask guests", path.display()));
    let module = Sandbox::new(SandboxLimits::default()).unwrap().load(&bytes, &path).unwrap();
    let cases = read_cases(json!({
        "name": "cards",
        "topics": { "ant": { "partitions": 3 }, "bee": { "partitions": 2 } },
        "members": [{ "id": "a", "topics": ["ant", "bee"] }, { "id": "b", "topics": ["ant"] }],
        "expect": { "a": { "ant": [0, 2], "bee": [0, 1] }, "b": { "ant": [1] } },
    }));
    cases.unwrap()[0].check(&*module).unwrap();
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
