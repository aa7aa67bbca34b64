//! Commands that are told to end before they have begun: while their modules are compiled and tried.

use crate::cli_ground::{Running, nobody};
use crate::member_ground::{Folder, stamped};

/// More modules than are tried in a minute: each ends its trial call only when its second is over.
const MODULES: usize = 64;

fn never_ends(number: usize) -> (String, Vec<u8>) {
    let text = r#"(module
        (memory (export "memory") 1)
        (func (export "divvy_abi_v1"))
        (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
        (func (export "divvy_assign") (param i32 i32) (result i64) (loop $ever (br $ever)) (i64.const 0)))"#;
    let name = format!("slow-{number}");
    let module = stamped(&wat::parse_str(text).unwrap(), &format!(r#"{{"abi":"1.0","name":"{name}"}}"#));
    (name, module)
}

#[test]
fn a_signal_while_modules_are_compiled_is_heard_at_once() {
    let modules: Vec<(String, Vec<u8>)> = (0..MODULES).map(never_ends).collect();
    let folder = Folder::with(&[]);
    modules.iter().for_each(|(name, bytes)| folder.drop_in(name, bytes));
    let (modules, server) = (folder.path().to_str().unwrap(), nobody());
    let place = ["--server", &server, "--group", "g", "--topic", "t", "--assignors", modules, "--json"];
    for command in ["join", "run"] {
        let worker: &[&str] = if command == "run" { &["--", "true"] } else { &[] };
        let mut started = Running::with(&[&[command][..], &place, worker].concat(), &[]);
        started.event("joining");
        assert_eq!(started.terminate(), 0, "{command}");
        // Whoever had waited for the modules would have said what it offers.
        assert_eq!(started.next("ended")["event"], "ended", "{command} should not have gone on");
    }
}
