//! What the fuzzer found worth keeping, replayed: each target of `tests/fuzz` on its corpus. (To fuzz on: its README.)

use std::fs;
use std::path::Path;

use divvy::wire::api::SERVED;
use divvy::wire::{Message, messages};

#[path = "../fuzz/targets/capture.rs"]
mod capture;
#[path = "../fuzz/targets/embedded.rs"]
mod embedded;
#[path = "../fuzz/targets/frame.rs"]
mod frame;
#[path = "../fuzz/targets/request.rs"]
mod request;
#[path = "../fuzz/targets/tagged.rs"]
mod tagged;

/// The files of a target, and at least as many as a corpus that is still there has.
fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut tried = 0;
    for entry in fs::read_dir(&folder).expect("the corpus is there") {
        let path = entry.expect("the corpus can be listed").path();
        let bytes = fs::read(&path).expect("the corpus can be read");
        println!("{}", path.display());
        run(&bytes);
        tried += 1;
    }
    assert!(tried >= 20, "{tried} files in {}", folder.display());
}

#[test]
fn captures() {
    replay("capture", capture::run);
}

/// No fuzzer runs with every test: a few changes of each file do.
#[test]
fn changed_captures() {
    let mut dice = divvy_guest::testing::Dice::new(7);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus/capture");
    for entry in fs::read_dir(&folder).expect("the corpus is there") {
        let bytes = fs::read(entry.expect("the corpus can be listed").path()).expect("the corpus can be read");
        for _ in 0..100 {
            let mut changed = bytes.clone();
            for _ in 0..=dice.roll(3) {
                let at = usize::try_from(dice.roll(bytes.len() as u64)).expect("files are small");
                changed[at] = u8::try_from(dice.roll(256)).expect("a byte");
            }
            capture::run(&changed);
        }
    }
}

#[test]
fn frames() {
    replay("frame", frame::run);
}

#[test]
fn requests_and_answers() {
    replay("request", request::run);
}

#[test]
fn embedded_protocols() {
    replay("embedded", embedded::run);
}

#[test]
fn tagged_fields() {
    replay("tagged", tagged::run);
}

/// The laws, the oracle and the fuzzer go through one list: nothing that is served may be missing from it.
#[test]
fn every_message_that_is_served_is_on_the_list() {
    macro_rules! keys {
        ($($module:ident: $request:ident $response:ident;)*) => {
            [$((<messages::$request as Message>::KEY, <messages::$response as Message>::KEY)),*]
        };
    }
    let listed = every_message!(keys);
    for served in SERVED {
        assert!(listed.contains(&(served.key, served.key)), "{:?} is not in tests/laws/schema.rs", served.key);
    }
}
