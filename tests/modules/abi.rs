//! The conformance suite of ABI 1, `tests/abi`: its files are what is written here, the Rust SDK gives the replies that they say,
//! and this host answers to malformed replies and modules as they say. `DIVVY_REWRITE=1 cargo test --workspace --test modules abi`
//! writes requests and replies anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, Export};
use divvy::sandbox::{Sandbox, SandboxLimits};
use divvy_guest::abi::host::{Body, Expected, parse_reply};
use divvy_guest::run;
use serde_json::{Value, json};

use crate::even;

mod cases;
mod form;
mod malformed;
mod modules;
mod replies;

/// Larger requests are not shown in the file beside them: nobody reads them.
const SHOWN_BYTES: usize = 2_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/abi")
}

fn rewrites() -> bool {
    std::env::var_os("DIVVY_REWRITE").is_some()
}

/// Writes a file of the suite, or holds it against what it must be.
fn hold(path: &Path, bytes: &[u8]) {
    if rewrites() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let there = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(there == bytes, "{} is another file: DIVVY_REWRITE=1 writes it anew", path.display());
}

fn hold_json(path: &Path, value: &Value) {
    hold(path, format!("{}\n", serde_json::to_string_pretty(value).unwrap()).as_bytes());
}

/// No file of a folder may be left that nobody holds.
fn hold_only(folder: &Path, names: &[String]) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if rewrites() && !names.contains(&stem) {
            fs::remove_file(&path).unwrap();
            continue;
        }
        assert!(names.contains(&stem), "{}: no test knows this file", path.display());
    }
}

#[test]
fn the_reference_gives_the_replies_of_the_suite() {
    let requests = cases::all();
    for request in &requests {
        let reply = run::partitions(even::even, &request.bytes);
        let beside = folder().join("requests").join(&request.name);
        hold(&beside.with_extension("msgpack"), &request.bytes);
        let mut said = json!({ "what": request.what });
        if request.bad {
            said["refused"] = json!("bad_request");
            assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{}", request.name);
        } else {
            hold(&folder().join("replies").join(&request.name).with_extension("msgpack"), &reply);
            if request.bytes.len() < SHOWN_BYTES {
                said["request"] = form::shown(&request.bytes);
                said["reply"] = form::shown(&reply);
            }
        }
        hold_json(&beside.with_extension("json"), &said);
    }
    let names = |bad: bool| requests.iter().filter(|it| !it.bad || bad).map(|it| it.name.clone()).collect::<Vec<_>>();
    hold_only(&folder().join("requests"), &names(true));
    hold_only(&folder().join("replies"), &names(false));
}

#[test]
fn the_reference_runs_in_the_sandbox() {
    conform(&target().join("guests/even.wasm"), "cargo xtask guests", &[]);
}

/// `cargo xtask languages` builds them and runs this.
#[test]
#[ignore = "the modules are built by cargo xtask languages, which runs this"]
fn other_languages_give_the_same_bytes() {
    let names = std::env::var("DIVVY_LANGUAGES").expect("DIVVY_LANGUAGES, names with blanks between");
    for name in names.split(' ') {
        conform(
            &target().join("guests/languages").join(name).with_extension("wasm"),
            "cargo xtask languages",
            &["even"],
        );
        println!("{name}: equal bytes for every request");
    }
}

/// Every request of the suite, and every beginning of one that has everything, through the sandbox.
fn conform(path: &Path, made_by: &str, shimmed: &[&str]) {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}: run {made_by}", path.display()));
    let wasi_shim = shimmed.iter().map(|&name| name.to_owned()).collect();
    let sandbox = Sandbox::new(SandboxLimits { wasi_shim, ..SandboxLimits::default() }).unwrap();
    let module = sandbox.load(&bytes, path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((module.manifest().name.as_str(), &*module.manifest().needs), ("even", &["lag".to_owned()][..]));
    let budget = Budget { deadline: Duration::from_secs(10), max_output: 1 << 20 };
    let call = |what: &str, request: &[u8]| {
        module
            .call(Export::Assign, request, budget)
            .unwrap_or_else(|fault| panic!("{}: {what}: {fault}", path.display()))
    };
    for request in cases::all() {
        let reply = call(&request.name, &request.bytes);
        if request.bad {
            assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{}: {}", path.display(), request.name);
            continue;
        }
        let there = fs::read(folder().join("replies").join(&request.name).with_extension("msgpack")).unwrap();
        let shown =
            |bytes: &[u8]| if bytes.len() < SHOWN_BYTES { form::shown(bytes).to_string() } else { String::new() };
        assert!(reply == there, "{}: {}: {} instead of {}", path.display(), request.name, shown(&reply), shown(&there));
    }
    let whole = cases::everything().request();
    for length in 0..whole.len() {
        let reply = call(&format!("the first {length} bytes of everything"), &whole[..length]);
        assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{}: {length} bytes", path.display());
    }
}

/// The code of a refusal.
fn refusal(reply: &[u8]) -> Option<String> {
    match parse_reply(reply, Expected::Partitions { members: 0, partitions: 0 }).ok()?.body {
        Body::Refused { code, .. } => Some(code.to_owned()),
        _ => None,
    }
}

fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}
