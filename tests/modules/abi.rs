//! The conformance suite of ABI 1, `tests/abi`: the Rust SDK gives the replies that they say,
//! and this host answers to malformed replies and modules as they say. `DIVVY_REWRITE=1 cargo test --workspace --test modules abi`
//! writes what is missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, Export};
use divvy::sandbox::{Module, Sandbox, SandboxLimits};
use divvy_guest::abi::host::{Body, Expected, parse_reply};
use divvy_guest::run;
use serde_json::{Value, json};

use crate::{even, parts};

mod cases;
mod form;
mod malformed;
mod modules;
mod optional;
mod replies;
mod states;

/// What one export of a reference strategy is asked and must say.
struct Part {
    /// Its requests and replies are below this folder of `tests/abi`.
    folder: &'static str,
    /// The strategy.
    strategy: &'static str,
    export: Export,
    /// The strategy in Rust.
    reference: fn(&[u8]) -> Vec<u8>,
    cases: fn() -> Vec<cases::Request>,
    /// Most of its requests; fewer are a sign that the folder was not read.
    least: usize,
}

const PARTS: [Part; 4] = [
    Part {
        folder: "",
        strategy: "even",
        export: Export::Assign,
        reference: |request| run::partitions(even::even, request),
        cases: cases::all,
        least: 85,
    },
    Part {
        folder: "states",
        strategy: "parts",
        export: Export::Assign,
        reference: |request| run::states(parts::parts, request),
        cases: states::all,
        least: 55,
    },
    Part {
        folder: "user-data",
        strategy: "parts",
        export: Export::UserData,
        reference: |request| run::user_data(parts::told, request),
        cases: optional::user_data,
        least: 30,
    },
    Part {
        folder: "check",
        strategy: "parts",
        export: Export::Check,
        reference: |request| run::check(parts::judged, request),
        cases: optional::check,
        least: 30,
    },
];

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
    reply: PathBuf,
}

impl Request {
    fn is_bad(&self) -> bool {
        self.said["refused"] == "bad_request"
    }
}

impl Part {
    fn requests_folder(&self) -> PathBuf {
        folder().join(self.folder).join("requests")
    }

    /// All of them, as they lie there.
    fn requests(&self) -> Vec<Request> {
        let place = self.requests_folder();
        let replies = folder().join(self.folder).join("replies");
        let read_all = names(&place).into_iter().map(|name| {
            let beside = place.join(&name);
            let bytes = read(&beside.with_extension("msgpack"), Vec::new);
            let said = read_json(&beside.with_extension("json"), || json!({}));
            Request { bytes, said, reply: replies.join(&name).with_extension("msgpack"), name }
        });
        let all: Vec<Request> = read_all.collect();
        assert!(all.len() >= self.least, "{} requests in {}", all.len(), place.display());
        all
    }

    /// What stands beside a request.
    fn said(&self, case: &cases::Request, bytes: &[u8]) -> Value {
        let mut said = json!({ "what": case.what });
        if case.bad {
            said["refused"] = json!("bad_request");
        } else if bytes.len() < SHOWN_BYTES {
            said["request"] = form::shown(bytes);
            said["reply"] = form::shown(&(self.reference)(bytes));
        }
        said
    }

    fn check_reference(&self) {
        for case in (self.cases)() {
            let beside = self.requests_folder().join(&case.name);
            let bytes = read(&beside.with_extension("msgpack"), || case.bytes.clone());
            read_json(&beside.with_extension("json"), || self.said(&case, &bytes));
        }
        for request in self.requests() {
            let (reply, name) = ((self.reference)(&request.bytes), &request.name);
            if request.is_bad() {
                assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{}: {name}", self.folder);
                assert!(!request.reply.exists(), "{}: {name}: its words are free", self.folder);
                continue;
            }
            assert!(read(&request.reply, || reply.clone()) == reply, "{}: {name}: another reply", self.folder);
            if request.bytes.len() < SHOWN_BYTES {
                let shown = [form::shown(&request.bytes), form::shown(&reply)];
                assert_eq!([&request.said["request"], &request.said["reply"]], [&shown[0], &shown[1]], "{name}");
            }
        }
    }

    /// Every request of the suite, and every beginning of one that has everything.
    fn check_module(&self, module: &Module) {
        let budget = Budget { deadline: Duration::from_secs(10), max_output: 2 << 20 };
        let place = format!("{}: {:?}", module.path().display(), self.export);
        let call = |what: &str, request: &[u8]| {
            module.call(self.export, request, budget).unwrap_or_else(|fault| panic!("{place}: {what}: {fault}"))
        };
        for request in self.requests() {
            let (reply, name) = (call(&request.name, &request.bytes), &request.name);
            if request.is_bad() {
                assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{place}: {name}");
                continue;
            }
            let there = read(&request.reply, Vec::new);
            let shown =
                |bytes: &[u8]| if bytes.len() < SHOWN_BYTES { form::shown(bytes).to_string() } else { String::new() };
            assert!(reply == there, "{place}: {name}: {} instead of {}", shown(&reply), shown(&there));
        }
        let whole = read(&self.requests_folder().join("everything.msgpack"), Vec::new);
        for length in 0..whole.len() {
            let reply = call(&format!("the first {length} bytes of everything"), &whole[..length]);
            assert_eq!(refusal(&reply).as_deref(), Some("bad_request"), "{place}: {length} bytes");
        }
    }
}

#[test]
fn the_reference_gives_the_replies_of_the_suite() {
    PARTS.iter().for_each(Part::check_reference);
}

#[test]
fn the_reference_runs_in_the_sandbox() {
    for strategy in ["even", "parts"] {
        conform(strategy, &target().join("guests").join(strategy).with_extension("wasm"), "cargo xtask guests", &[]);
    }
}

/// `cargo xtask languages` builds them and runs this.
#[test]
#[ignore = "the modules are built by cargo xtask languages, which runs this"]
fn other_languages_give_the_same_bytes() {
    let names = std::env::var("DIVVY_LANGUAGES").expect("DIVVY_LANGUAGES, names with blanks between");
    for name in names.split(' ') {
        for strategy in ["even", "parts"] {
            let module = target().join("guests/languages").join(name).join(strategy).with_extension("wasm");
            conform(strategy, &module, "cargo xtask languages", &[strategy]);
        }
        println!("{name}: equal bytes for every request");
    }
}

/// A module of the strategy, in the sandbox, against all parts of the suite that it is for.
fn conform(strategy: &str, path: &Path, made_by: &str, shimmed: &[&str]) {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}: run {made_by}", path.display()));
    let wasi_shim = shimmed.iter().map(|&name| name.to_owned()).collect();
    let sandbox = Sandbox::new(SandboxLimits { wasi_shim, ..SandboxLimits::default() }).unwrap();
    let module = sandbox.load(&bytes, path).unwrap_or_else(|error| panic!("{error}"));
    let needs: Vec<&str> = if strategy == "even" { vec!["lag"] } else { Vec::new() };
    assert!(module.manifest().name == strategy && module.manifest().needs == needs, "{:?}", module.manifest());
    PARTS.iter().filter(|part| part.strategy == strategy).for_each(|part| part.check_module(&module));
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
