//! What only shows from inside: a pool without a free slot.

use std::path::Path;
use std::time::Duration;

use wasmtime::{Linker, Store};

use super::{Sandbox, SandboxLimits};
use crate::assignor::{Assignor, Budget, Export};

const MODULE: &str = r#"(module
    (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"tiny\"}")
    (memory (export "memory") 1)
    (func (export "divvy_abi_v1"))
    (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "divvy_assign") (param i32 i32) (result i64) (i64.const 4)))"#;

#[test]
fn a_pool_without_a_free_slot_is_no_fault_of_the_module() {
    let sandbox = Sandbox::new(SandboxLimits { concurrency: 1, ..SandboxLimits::default() }).unwrap();
    let module = sandbox.load(&wat::parse_str(MODULE).unwrap(), Path::new("tiny.wasm")).unwrap();
    let budget = Budget { deadline: Duration::from_secs(20), max_output: 100 };
    let mut taken = Vec::new();
    if let Some(engine) = &sandbox.0.engines.pooled {
        let other = wasmtime::Module::from_binary(engine, b"\0asm\x01\0\0\0\x05\x03\x01\0\x01").unwrap();
        for _ in 0..sandbox.limits().slots() {
            let mut store = Store::new(engine, ());
            Linker::new(engine).instantiate(&mut store, &other).unwrap();
            taken.push(store);
        }
    }
    assert_eq!(module.call(Export::Assign, b"request", budget).unwrap(), [0; 4]);
    drop(taken);
    assert_eq!(module.call(Export::Assign, b"request", budget).unwrap(), [0; 4]);
}

#[test]
fn a_stack_that_grows_out_of_the_memory_is_told_from_another_bad_address() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let fault = |assign: &str| {
        let module = MODULE.replace("(i64.const 4)))", &format!("{assign}))"));
        let module = sandbox.load(&wat::parse_str(module).unwrap(), Path::new("tiny.wasm")).unwrap();
        let budget = Budget { deadline: Duration::from_secs(20), max_output: 100 };
        module.call(Export::Assign, b"request", budget).unwrap_err().message
    };
    // A frame of 1 KiB a call, as compilers lay it.
    let deep = fault(
        r#"(call $down (i32.const 65536)) (i64.const 4))
        (func $down (param $top i32)
            (i32.store (i32.sub (local.get $top) (i32.const 1024)) (i32.const 1))
            (call $down (i32.sub (local.get $top) (i32.const 1024)))
            (i32.store (local.get $top) (i32.const 1))"#,
    );
    assert!(deep.contains("its own stack may be too small") && deep.contains("in down < down <"), "{deep}");
    let far = fault("(i64.load (i32.const -8))");
    assert!(far.contains("out of bounds") && !far.contains("stack"), "{far}");
    assert!(far.ends_with("in function 2 (a build that keeps the names of its functions has them here)"), "{far}");
}

#[test]
fn limits_out_of_range_are_named() {
    let limits = SandboxLimits { body_bytes: 1 << 20, ..SandboxLimits::default() };
    let error = Sandbox::new(limits).err().unwrap().to_string();
    assert_eq!(error, "sandbox limit body_bytes = 1048576: must be between 1 and 262144");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("a.wasm");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(super::open_regular(&pipe).unwrap_err().to_string(), "it is no file");
    assert_eq!(super::open_regular(folder.path()).unwrap_err().to_string(), "it is no file");
}
