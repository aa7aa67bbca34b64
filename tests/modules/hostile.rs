//! Modules that do harm: each is named by its kind, and the next call of a good one works.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, Export, FaultKind};
use divvy::sandbox::{LoadErrorKind, Module, Sandbox, SandboxLimits};

use crate::wat_modules::{GOOD, GOOD_REPLY, Parts, assign, sandbox};

pub const BUDGET: Budget = Budget { deadline: Duration::from_secs(20), max_output: 1 << 20 };
const SHORT: Budget = Budget { deadline: Duration::from_millis(30), max_output: 1 << 10 };

pub fn load(sandbox: &Sandbox, parts: &Parts) -> Arc<Module> {
    sandbox.load(&parts.bytes(), Path::new("assignors/under-test.wasm")).expect("a module that loads")
}

fn assert_good(module: &Module) {
    assert_eq!(module.call(Export::Assign, b"request", BUDGET).expect("a reply"), GOOD_REPLY);
}

pub const LOOP: &str = "(loop $for_ever (br $for_ever)) unreachable";

#[test]
fn each_fault_of_a_call_has_its_kind_and_the_next_call_works() {
    let sandbox = sandbox();
    let good = load(&sandbox, &GOOD);
    let alloc = |body: &str| format!(r#"(func (export "divvy_alloc") (param i32) (result i32) {body})"#);
    let start = |body: &str| format!("(func $start {body}) (start $start)");
    let cases: Vec<(&str, Parts, FaultKind, &str)> = vec![
        ("B09 a loop in the start function", GOOD.more(start(LOOP)), FaultKind::Deadline, "its start ran longer"),
        (
            "B09 a loop in _initialize",
            GOOD.more(format!(r#"(func (export "_initialize") {LOOP})"#)),
            FaultKind::Deadline,
            "_initialize ran longer",
        ),
        ("B09 a loop in divvy_alloc", GOOD.alloc(alloc(LOOP)), FaultKind::Deadline, "divvy_alloc"),
        ("a loop in divvy_assign", GOOD.assign(assign(LOOP)), FaultKind::Deadline, "30 ms"),
        (
            "B09 memory.fill of 4 GiB in the start function",
            GOOD.more(start("(memory.fill (i32.const 0) (i32.const 1) (i32.const -1))")),
            FaultKind::Trap,
            "out of bounds",
        ),
        (
            "all memory filled for ever",
            GOOD.assign(assign(
                "(drop (memory.grow (i32.const 1000)))
                     (loop $again
                       (memory.fill (i32.const 0) (i32.const 7) (i32.const 65536000)) (br $again)) unreachable",
            )),
            FaultKind::Deadline,
            "divvy_assign",
        ),
        ("a trap in the start function", GOOD.more(start("unreachable")), FaultKind::Trap, "unreachable"),
        (
            "a division by zero",
            GOOD.assign(assign("(drop (i32.div_u (i32.const 1) (i32.const 0))) unreachable")),
            FaultKind::Trap,
            "divide by zero; in assign",
        ),
        (
            "a panic with a text",
            GOOD.more(r#"(global (export "divvy_panic") i32 (i32.const 64))"#).assign(format!(
                r#"{} (data (i32.const 64) "\0e\00\00\00panicked\nat 3\1b[31m")"#,
                assign("unreachable")
            )),
            FaultKind::Trap,
            "it said: panicked at 3\\u{1b}; in assign",
        ),
        (
            "a panic text that is longer than its memory",
            GOOD.more(r#"(global (export "divvy_panic") i32 (i32.const 65530))"#)
                .assign(format!(r#"{} (data (i32.const 65530) "\ff\ff\ff\ffxy")"#, assign("unreachable"))),
            FaultKind::Trap,
            "it said: xy",
        ),
        (
            "a panic text outside its memory",
            GOOD.more(r#"(global (export "divvy_panic") i32 (i32.const -3))"#).assign(assign("unreachable")),
            FaultKind::Trap,
            "unreachable",
        ),
        (
            "memory that grows for ever",
            GOOD.assign(assign("(loop $more (drop (memory.grow (i32.const 16))) (br $more)) unreachable")),
            FaultKind::Memory,
            "64 MiB",
        ),
        (
            "a growth of 4 GiB",
            GOOD.assign(assign("(drop (memory.grow (i32.const 65535))) unreachable")),
            FaultKind::Memory,
            "64 MiB",
        ),
        (
            "a table that grows for ever",
            GOOD.more("(table $t 1 funcref)").assign(assign(
                "(loop $more (drop (table.grow $t (ref.null func) (i32.const 1000))) (br $more)) unreachable",
            )),
            FaultKind::Table,
            "10000 elements",
        ),
        (
            "endless recursion",
            GOOD.assign(assign("(i64.add (i64.const 1) (call $assign (i32.const 0) (i32.const 0)))")),
            FaultKind::Stack,
            "too deep",
        ),
        ("an alloc that has nothing", GOOD.alloc(alloc("(i32.const 0)")), FaultKind::Memory, "no 7 bytes"),
        (
            "an alloc beyond the memory",
            GOOD.alloc(alloc("(i32.const 65530)")),
            FaultKind::InvalidReply,
            "answered 65530 for 7 bytes; its memory ends at 65536",
        ),
        (
            "an alloc with the sign bit",
            GOOD.alloc(alloc("(i32.const -8)")),
            FaultKind::InvalidReply,
            "answered 4294967288",
        ),
        (
            "a reply beyond the memory",
            GOOD.assign(assign("(i64.const 0x0001_fff0_0000_0020)")),
            FaultKind::InvalidReply,
            "32 bytes at 131056",
        ),
        (
            "a reply whose end wraps around",
            GOOD.assign(assign("(i64.const 0xffff_fff0_0000_0020)")),
            FaultKind::InvalidReply,
            "32 bytes at 4294967280",
        ),
        (
            "a reply of 4 GiB",
            GOOD.assign(assign("(i64.const 0x0000_0000_ffff_ffff)")),
            FaultKind::InvalidReply,
            "4294967295 bytes at 0",
        ),
        (
            "a reply longer than it may be",
            GOOD.assign(assign("(i64.const 0x0000_0000_0000_0401)")),
            FaultKind::Output,
            "1025 bytes; at most 1024",
        ),
    ];
    for (what, parts, kind, words) in cases {
        let module = load(&sandbox, &parts);
        let fault = module.call(Export::Assign, b"request", SHORT).expect_err(what);
        assert_eq!(fault.kind, kind, "{what}: {fault}");
        assert!(fault.message.contains(words), "{what}: {fault}");
        assert!(!fault.message.contains(char::is_control), "{what}: {fault:?}");
        let stats = module.last_call().expect("what it used");
        assert!(stats.memory_peak <= 64 << 20, "{what}: {stats:?}");
        assert_good(&good);
    }
}

#[test]
fn a_request_longer_than_it_may_be_never_reaches_the_module() {
    let sandbox = Sandbox::new(SandboxLimits { input_bytes: 10, ..SandboxLimits::default() }).expect("a sandbox");
    let module = load(&sandbox, &GOOD);
    let fault = module.call(Export::Assign, b"11 bytes...", BUDGET).expect_err("too long");
    assert_eq!(fault.kind, FaultKind::Input, "{fault}");
    assert_good(&module);
}

#[test]
fn garbage_is_handed_on_as_it_is() {
    // Whether a reply makes sense is judged where the request is known.
    let garbage = assign("(i64.const 0x0000_0000_0000_0008)");
    let module = load(&sandbox(), &GOOD.assign(garbage));
    assert_eq!(module.call(Export::Assign, b"request", BUDGET).expect("bytes"), [0; 8]);
}

#[test]
fn an_export_that_is_not_there_gives_no_bytes() {
    let module = load(&sandbox(), &GOOD);
    assert!(!module.exports(Export::UserData));
    assert_eq!(module.call(Export::UserData, b"request", BUDGET).expect("nothing"), b"");
}

#[test]
fn a_refused_growth_that_a_module_copes_with_is_no_fault() {
    let copes = assign("(drop (memory.grow (i32.const 2000))) (i64.const 0x10_0000_000a)");
    let data = r#"(data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90")"#;
    assert_good(&load(&sandbox(), &GOOD.assign(format!("{copes} {data}"))));
}

#[test]
fn each_file_that_cannot_serve_is_refused_by_its_kind() {
    use LoadErrorKind as Kind;
    let sandbox = sandbox();
    let good = load(&sandbox, &GOOD);
    let whole = GOOD.bytes();
    let manifest = |json: &str| GOOD.manifest(json.to_owned()).bytes();
    let memory = |text: &str| GOOD.memory(text.to_owned()).bytes();
    let more = |text: &str| GOOD.more(text.to_owned()).bytes();
    let huge = format!("(func {})", "(drop (i32.const 1))".repeat(22_000));
    let locals = format!("(func (local {}))", "i32 ".repeat(2_001));
    let many = "(func)".repeat(20_001);
    let cases: Vec<(&str, Vec<u8>, Kind, &str)> = vec![
        ("an empty file", Vec::new(), Kind::HalfWritten, "empty"),
        ("half a file", whole[..whole.len() / 2].to_vec(), Kind::HalfWritten, "ends within a section"),
        ("no WebAssembly", b"#!/bin/sh\n".to_vec(), Kind::NotWasm, "does not begin"),
        ("a component", b"\0asm\x0d\0\x01\0".to_vec(), Kind::NotWasm, "component"),
        ("machine code", b"\x7fELF\x02\x01\x01".to_vec(), Kind::Precompiled, ".wasm"),
        ("a large file", vec![0; (4 << 20) + 1], Kind::TooLarge, "4194304"),
        (
            "B37 a clock",
            more(r#"(import "wasi_snapshot_preview1" "clock_time_get" (func))"#),
            Kind::Imports,
            "clock_time_get",
        ),
        ("B37 a memory of the host", memory(r#"(import "env" "mem" (memory 1))"#), Kind::Imports, "env.mem"),
        ("no divvy_assign", GOOD.assign("").bytes(), Kind::Exports, "no export divvy_assign"),
        ("no marker", GOOD.marker("").bytes(), Kind::Exports, "no export divvy_abi_v1"),
        (
            "a wrong signature",
            GOOD.assign(r#"(func (export "divvy_assign") (param i32 i32) (result i32) unreachable)"#).bytes(),
            Kind::Exports,
            "divvy_assign",
        ),
        (
            "an export that is no function",
            more(r#"(global (export "divvy_check") i32 (i32.const 1))"#),
            Kind::Exports,
            "no function",
        ),
        ("a memory that is not exported", memory("(memory 1)"), Kind::Exports, "memory"),
        (
            "a panic text that is no address",
            more(r#"(global (export "divvy_panic") i64 (i64.const 1))"#),
            Kind::Exports,
            "divvy_panic",
        ),
        ("no manifest", manifest(""), Kind::Manifest, "no custom section"),
        ("a manifest that is no JSON", manifest("{"), Kind::Manifest, "JSON"),
        ("a bad name", manifest(r#"{"abi": "1.0", "name": "Söme"}"#), Kind::Manifest, "a-z"),
        ("another ABI", manifest(r#"{"abi": "2.0", "name": "good"}"#), Kind::Abi, "speaks ABI 2"),
        ("two memories", memory(r#"(memory (export "memory") 1) (memory 1)"#), Kind::Limit, "2 memories"),
        ("a shared memory", memory(r#"(memory (export "memory") 1 2 shared)"#), Kind::Invalid, "shared"),
        ("a 64-bit memory", memory(r#"(memory (export "memory") i64 1)"#), Kind::Invalid, "64-bit"),
        ("a memory larger than it may be", memory(r#"(memory (export "memory") 1025)"#), Kind::Limit, "memory_mib"),
        ("two tables", more("(table 1 funcref) (table 1 funcref)"), Kind::Limit, "2 tables"),
        ("a large table", more("(table 10001 funcref)"), Kind::Limit, "10001 elements"),
        ("a huge function", more(&huge), Kind::Limit, "bytes long"),
        ("too many locals", more(&locals), Kind::Limit, "2001 local variables"),
        ("too many functions", more(&many), Kind::Limit, "functions"),
        ("atomics", more("(func (drop (i32.atomic.load (i32.const 0))))"), Kind::Invalid, "Threads"),
        (
            "relaxed SIMD",
            more("(func (param v128 v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 1)))"),
            Kind::Invalid,
            "relaxed",
        ),
        ("garbage collection", more("(type (struct))"), Kind::Invalid, "GC"),
        ("exceptions", more("(tag)"), Kind::Invalid, "exceptions"),
        ("code that breaks the rules", more("(func (result i32))"), Kind::Invalid, "type mismatch"),
    ];
    for (what, bytes, kind, words) in cases {
        let error = sandbox.load(&bytes, Path::new("assignors/bad.wasm")).expect_err(what);
        assert_eq!(error.kind, kind, "{what}: {error}");
        assert!(error.message.contains(words), "{what}: {error}");
        let text = error.to_string();
        assert!(text.starts_with("assignors/bad.wasm: ") && text.contains("(sha256:"), "{what}: {text}");
        assert_good(&good);
    }
    let error = sandbox.load(&whole, Path::new("good.cwasm")).expect_err("by its name");
    assert_eq!(error.kind, Kind::Precompiled, "{error}");
}

#[test]
fn what_toolchains_use_unasked_is_allowed() {
    let modern = r#"(table 1 funcref)
        (func (result i32 i32) (i32.extend8_s (i32.const 1)) (i32.trunc_sat_f32_s (f32.const 1)))
        (func (param v128) (result v128) (i8x16.popcnt (local.get 0)))
        (func (memory.copy (i32.const 0) (i32.const 0) (i32.const 0)))
        (func $tail (return_call $tail))
        (global i32 (i32.add (i32.const 1) (i32.const 2)))"#;
    assert_good(&load(&sandbox(), &GOOD.more(modern)));
}

#[test]
fn b31_each_call_of_each_export_has_its_own_deadline() {
    let sandbox = sandbox();
    let more = r#"(func (export "divvy_user_data") (param i32 i32) (result i64) (i64.const 0))
        (func (export "divvy_check") (param i32 i32) (result i64) (i64.const 0))
        (func (export "_initialize"))"#;
    let module = load(&sandbox, &GOOD.more(more));
    let endless = &load(&sandbox, &GOOD.assign(assign(LOOP)));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Somebody else's runaway keeps the epochs advancing, so a deadline that was not set anew would be long past.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let fault = endless.call(Export::Assign, b"request", SHORT).expect_err("it never ends");
                assert_eq!(fault.kind, FaultKind::Deadline, "{fault}");
            }
        });
        for _ in 0..1_000 {
            for export in [Export::Assign, Export::UserData, Export::Check] {
                module.call(export, b"request", BUDGET).expect("no spurious deadline");
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_full_house_is_told_apart_from_a_slow_module() {
    let limits =
        SandboxLimits { concurrency: 1, queue_timeout: Duration::from_millis(200), ..SandboxLimits::default() };
    let sandbox = Sandbox::new(limits).expect("a sandbox");
    let good = load(&sandbox, &GOOD);
    let endless = &load(&sandbox, &GOOD.assign(assign(LOOP)));
    std::thread::scope(|scope| {
        let budget = Budget { deadline: Duration::from_secs(2), ..SHORT };
        let runaway = scope.spawn(move || endless.call(Export::Assign, b"request", budget));
        let mut busy = None;
        while busy.is_none() && !runaway.is_finished() {
            busy = good.call(Export::Assign, b"request", BUDGET).err();
        }
        let busy = busy.expect("the one place is taken");
        assert!(busy.message.contains("the host was too busy"), "{busy}");
        assert!(runaway.join().expect("no panic").is_err());
    });
    assert_good(&good);
}

#[test]
fn nothing_of_one_call_is_seen_by_the_next() {
    let counts = assign(
        "(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1))) (i64.const 0x0000_0000_0000_0004)",
    );
    let module = load(&sandbox(), &GOOD.assign(counts));
    for _ in 0..100 {
        assert_eq!(module.call(Export::Assign, b"request", BUDGET).expect("a reply"), [1, 0, 0, 0]);
    }
}
