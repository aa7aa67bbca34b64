//! The conformance suite of ABI 1, `tests/abi`: the Rust SDK gives the replies that they say,
//! and this host answers to malformed replies and modules as they say. `DIVVY_REWRITE=1 cargo test --workspace --test modules abi`
//! writes what is missing.

use std::collections::BTreeSet;
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

/// Most of the suite's requests; fewer are a sign that the folder was not read.
const LEAST: usize = 70;

/// Larger requests are not shown in the file beside them: nobody reads them.
const SHOWN_BYTES: usize = 2_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/abi")
}

/// Whether files that are missing are written.
fn rewrites() -> bool {
    std::env::var_os("DIVVY_REWRITE").is_some()
}

/// What a file of the suite says; `make` makes one that is not there, if it may. What is there stays as it is.
fn read(path: &Path, make: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    if rewrites() && !path.exists() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, make()).unwrap();
    }
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}: DIVVY_REWRITE=1 writes what is missing", path.display()))
}

fn read_json(path: &Path, make: impl FnOnce() -> Value) -> Value {
    let text = read(path, || format!("{}\n", serde_json::to_string_pretty(&make()).unwrap()).into_bytes());
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of a folder's files, without what they end with.
fn names(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// A request of the suite.
struct Request {
    name: String,
    bytes: Vec<u8>,
    said: Value,
}

impl Request {
    fn is_bad(&self) -> bool {
        self.said["refused"] == "bad_request"
    }

    fn reply(&self) -> PathBuf {
        folder().join("replies").join(&self.name).with_extension("msgpack")
    }
}

/// All of them, as they lie there.
fn requests() -> Vec<Request> {
    let place = folder().join("requests");
    let all: Vec<Request> = names(&place)
        .into_iter()
        .map(|name| {
            let beside = place.join(&name);
            let bytes = read(&beside.with_extension("msgpack"), Vec::new);
            Request { bytes, said: read_json(&beside.with_extension("json"), || json!({})), name }
        })
        .collect();
    assert!(all.len() >= LEAST, "{} requests", all.len());
    all
}

#[test]
fn the_reference_gives_the_replies_of_the_suite() {
    for case in cases::all() {
        let beside = folder().join("requests").join(&case.name);
        let bytes = read(&beside.with_extension("msgpack"), || case.bytes.clone());
        read_json(&beside.with_extension("json"), || said(&case, &bytes));
    }
    for request in requests() {
        let reply = run::partitions(even::even, &request.bytes);
        if request.is_bad() {
            assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{}", request.name);
            assert!(!request.reply().exists(), "{}: its words are free", request.name);
            continue;
        }
        assert!(read(&request.reply(), || reply.clone()) == reply, "{}: another reply", request.name);
        if request.bytes.len() < SHOWN_BYTES {
            let shown = [form::shown(&request.bytes), form::shown(&reply)];
            assert_eq!([&request.said["request"], &request.said["reply"]], [&shown[0], &shown[1]], "{}", request.name);
        }
    }
}

/// What stands beside a request.
fn said(case: &cases::Request, bytes: &[u8]) -> Value {
    let mut said = json!({ "what": case.what });
    if case.bad {
        said["refused"] = json!("bad_request");
    } else if bytes.len() < SHOWN_BYTES {
        said["request"] = form::shown(bytes);
        said["reply"] = form::shown(&run::partitions(even::even, bytes));
    }
    said
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
    for request in requests() {
        let reply = call(&request.name, &request.bytes);
        if request.is_bad() {
            assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{}: {}", path.display(), request.name);
            continue;
        }
        let there = read(&request.reply(), Vec::new);
        let shown =
            |bytes: &[u8]| if bytes.len() < SHOWN_BYTES { form::shown(bytes).to_string() } else { String::new() };
        assert!(reply == there, "{}: {}: {} instead of {}", path.display(), request.name, shown(&reply), shown(&there));
    }
    let whole = read(&folder().join("requests/everything.msgpack"), Vec::new);
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
