//! The functions of WASI that an operator may let a module import: for whom, the same every time, and out of nobody's memory.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, CallError, Export, FaultKind};
use divvy::sandbox::{LoadError, LoadErrorKind, Module, Sandbox, SandboxLimits};

use crate::wat_modules::{GOOD, Parts, assign};

const BUDGET: Budget = Budget { deadline: Duration::from_secs(20), max_output: 1 << 20 };

/// Requests whose seeds are 5 and 6.
const SEEDS: [&[u8]; 2] = [&[0x92, 0, 5], &[0x92, 0, 6]];

const IMPORTS: &str = r#"
    (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
    (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))"#;

fn load(parts: &Parts, named: &[&str]) -> Result<Arc<Module>, LoadError> {
    let wasi_shim = named.iter().map(|&name| name.to_owned()).collect();
    let limits = SandboxLimits { wasi_shim, ..SandboxLimits::default() };
    Sandbox::new(limits).unwrap().load(&parts.bytes(), Path::new("good.wasm"))
}

/// A module that may import, and does this.
fn shimmed(body: &str) -> Arc<Module> {
    load(&GOOD.more(IMPORTS).assign(assign(body)), &["good"]).unwrap()
}

fn call(module: &Module, request: &[u8]) -> Result<Vec<u8>, CallError> {
    module.call(Export::Assign, request, BUDGET)
}

#[test]
fn only_a_module_that_is_named_may_import_and_only_those_functions() {
    let parts = GOOD.more(IMPORTS);
    for named in [&[][..], &["better"], &["good@1"]] {
        let refused = load(&parts, named).unwrap_err();
        assert_eq!(refused.kind, LoadErrorKind::Imports);
        let words = ["wasi_snapshot_preview1: clock_time_get, random_get", "--wasi-shim good", "module.wasi_shim"];
        assert!(words.iter().all(|word| refused.message.contains(word)), "{refused}");
    }
    assert!(load(&parts, &["better", "good"]).unwrap().imports_wasi());
    assert!(!load(&GOOD, &["good"]).unwrap().imports_wasi());
    let other = |import: &str| load(&GOOD.more(format!("{IMPORTS} (import {import})")), &["good"]).unwrap_err();
    let more = other(r#""wasi_snapshot_preview1" "path_open" (func)"#);
    assert!(more.kind == LoadErrorKind::Imports && more.message.contains("path_open"), "{more}");
    let elsewhere = other(r#""env" "random_get" (func)"#);
    assert!(elsewhere.kind == LoadErrorKind::Imports && elsewhere.message.contains("env.random_get"), "{elsewhere}");
    let memory = other(r#""wasi_snapshot_preview1" "sched_yield" (global i32)"#);
    assert_eq!(memory.kind, LoadErrorKind::Compile, "{memory}");
}

#[test]
fn clock_and_dice_are_the_requests_and_nothing_else() {
    let module = shimmed(
        "(drop (call $clock (i32.const 0) (i64.const 0) (i32.const 32)))
         (drop (call $clock (i32.const 1) (i64.const 0) (i32.const 40)))
         (drop (call $random (i32.const 48) (i32.const 13)))
         (drop (call $args (i32.const 64) (i32.const 68)))
         (drop (call $environ (i32.const 72) (i32.const 76)))
         (i32.store (i32.const 80) (call $poll (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0)))
         (i64.const 0x20_0000_0034)",
    );
    let [five, six] = SEEDS.map(|request| call(&module, request).unwrap());
    assert_eq!(five, call(&module, SEEDS[0]).unwrap(), "the same request, the same bytes");
    let number = |at: usize| u64::from_le_bytes(five[at..at + 8].try_into().unwrap());
    assert_eq!([number(0), number(8)], [1_000_000, 1_001_000], "a millisecond, and a microsecond a look");
    assert_eq!((&five[..16], &five[29..]), (&six[..16], &six[29..]), "only the dice are the seed's");
    assert_ne!(five[16..29], six[16..29]);
    assert_eq!(five[29..32], [0; 3], "thirteen bytes and no more");
    assert_eq!(five[32..48], [0; 16], "no arguments, no environment");
    assert_eq!(five[48..], [52, 0, 0, 0], "nothing to wait for");
}

/// Two buffers at 32: `tick` at 64 and a line's end behind it.
const TEXT: &str = r#"(data (i32.const 32) "\40\00\00\00\04\00\00\00\44\00\00\00\01\00\00\00")
    (data (i32.const 64) "tick\n")"#;

fn printing(body: &str) -> Arc<Module> {
    let reply = r#"(data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90")"#;
    load(&GOOD.more(IMPORTS).assign(format!("{} {reply} {TEXT}", assign(body))), &["good"]).unwrap()
}

#[test]
fn what_is_printed_is_told_with_the_plan_or_with_the_fault() {
    let twice = "(drop (call $write (i32.const 1) (i32.const 32) (i32.const 2) (i32.const 8)))
        (drop (call $write (i32.const 2) (i32.const 32) (i32.const 2) (i32.const 8)))";
    let told = call(&printing(&format!("{twice} (i64.const 0x10_0000_000a)")), b"").unwrap();
    assert_eq!(told, b"\x93\x01\x94\xa2v1\xa0\xc2\xc0\x92\x92\xa4info\xa4tick\x92\xa4info\xa4tick");
    let fault = call(&printing(&format!("{twice} (call $exit (i32.const 2)) unreachable")), b"").unwrap_err();
    assert_eq!(fault.kind, FaultKind::Trap);
    assert!(
        fault.message.contains("ended itself with code 2") && fault.message.contains("it said: tick tick"),
        "{fault}"
    );
    let started = format!("{IMPORTS} (func $start (call $exit (i32.const 0))) (start $start)");
    let fault = call(&load(&GOOD.more(started), &["good"]).unwrap(), b"").unwrap_err();
    assert!(fault.kind == FaultKind::Trap && fault.message.contains("its start"), "{fault}");
    // A flood is cut, and costs the host nothing.
    let flood = format!("(loop $again {twice} (br $again)) unreachable");
    let short = Budget { deadline: Duration::from_millis(100), ..BUDGET };
    let fault = printing(&flood).call(Export::Assign, b"", short).unwrap_err();
    assert!(fault.kind == FaultKind::Deadline && fault.message.len() < 3_000, "{fault}");
}

#[test]
fn addresses_and_lengths_outside_of_the_memory_are_errors_of_the_guest() {
    for (what, body, errno) in [
        ("a clock nowhere", "(call $clock (i32.const 0) (i64.const 0) (i32.const -1))", 21),
        ("a clock over the end", "(call $clock (i32.const 0) (i64.const 0) (i32.const 131066))", 21),
        ("dice over the end", "(call $random (i32.const 131066) (i32.const 60000))", 21),
        ("a gigabyte of dice", "(call $random (i32.const 0) (i32.const 0x40000000))", 28),
        ("4 GiB of dice", "(call $random (i32.const 0) (i32.const -1))", 28),
        ("buffers nowhere", "(call $write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 0))", 21),
        ("too many buffers", "(call $write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 0))", 28),
        (
            "a buffer of 4 GiB",
            "(i64.store (i32.const 96) (i64.const -1)) (call $write (i32.const 1) (i32.const 96) (i32.const 1) (i32.const 0))",
            21,
        ),
        ("another file", "(call $write (i32.const 3) (i32.const 32) (i32.const 1) (i32.const 0))", 8),
        ("standard input", "(call $write (i32.const 0) (i32.const 32) (i32.const 1) (i32.const 0))", 8),
    ] {
        let (before, last) = body
            .rsplit_once(") (call")
            .map_or((String::new(), body.to_owned()), |(before, last)| (format!("{before})"), format!("(call{last}")));
        let module = shimmed(&format!("{before} (i32.store (i32.const 16) {last}) (i64.const 0x10_0000_0004)"));
        assert_eq!(call(&module, b"").unwrap(), u32::to_le_bytes(errno), "{what}");
    }
}
