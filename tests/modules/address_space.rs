//! A machine whose address space has no room for a pool of instances.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, Export};

use crate::wat_modules::{GOOD, GOOD_REPLY, sandbox};

/// Room for one memory with its guards, and for the process; the smallest pool has two.
const ADDRESS_SPACE_KIB: usize = 7_500_000;
/// Set in the process that has so little.
const CRAMPED: &str = "DIVVY_TEST_CRAMPED";

#[test]
fn where_there_is_no_room_for_a_pool_modules_run_without() {
    if std::env::var_os(CRAMPED).is_some() {
        return cramped();
    }
    let name = "address_space::where_there_is_no_room_for_a_pool_modules_run_without";
    let limited = format!("ulimit -v {ADDRESS_SPACE_KIB} && exec \"$0\" --exact {name} --nocapture");
    let mut shell = Command::new("sh");
    let shell = shell.arg("-c").arg(limited).arg(std::env::current_exe().unwrap());
    let output = shell.env(CRAMPED, "1").env("RUST_TEST_THREADS", "1").output().unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{wrong}");
    assert!(sandbox().is_pooled(), "with all of the address space there is one");
}

fn cramped() {
    let sandbox = sandbox();
    assert!(!sandbox.is_pooled());
    let module = sandbox.load(&GOOD.bytes(), Path::new("good.wasm")).unwrap();
    let budget = Budget { deadline: Duration::from_secs(20), max_output: 100 };
    for _ in 0..100 {
        assert_eq!(module.call(Export::Assign, b"request", budget).unwrap(), GOOD_REPLY);
    }
}
