//! Memory and time of a call: what a manifest may ask for, what it gets, and what the operator has to say about it.

use std::path::Path;
use std::time::Duration;

use divvy::assignor::{Assignor, Export, FaultKind};
use divvy::sandbox::{Ceilings, LoadErrorKind, Sandbox, SandboxLimits};

use crate::hostile::{BUDGET, LOOP, load};
use crate::wat_modules::{GOOD, assign, sandbox};

#[test]
fn who_asks_for_more_than_the_operator_lets_it_is_refused_and_told_the_setting() {
    let asks = |limits: &str| {
        let manifest = format!(r#"{{"abi": "1.0", "name": "good", "limits": {{{limits}}}}}"#);
        GOOD.manifest(manifest).assign(assign(LOOP)).bytes()
    };
    let refused = |limits: SandboxLimits, asked: &str| {
        let loaded = Sandbox::new(limits).unwrap().load(&asks(asked), Path::new("assignors/greedy.wasm"));
        let error = loaded.expect_err(asked);
        assert_eq!(error.kind, LoadErrorKind::Limit);
        error.to_string()
    };
    let usual = SandboxLimits::default;
    let said = refused(usual(), r#""memory_mib": 300"#);
    for words in [
        "assignors/greedy.wasm: limit: its manifest asks for 300 MiB of memory (limits.memory_mib), and at most 256 are allowed",
        "raise module.max_memory_mib (--max-memory-mib) to 300",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let said = refused(usual(), r#""memory_mib": 4294967295"#);
    assert!(said.contains("module.max_memory_mib (--max-memory-mib) allows 1024 at most"), "{said}");
    let lowered = usual().below(Ceilings { call_ms: 20, memory_mib: 32 });
    let said = refused(lowered.clone(), r#""ms": 21"#);
    assert!(said.contains("asks for 21 ms for a call (limits.ms), and at most 20 are allowed"), "{said}");
    assert!(said.contains("raise module.max_call_ms (--max-call-ms) to 21"), "{said}");
    let said = refused(usual(), r#""ms": 99999999"#);
    assert!(said.contains("module.max_call_ms (--max-call-ms) allows 10000 at most"), "{said}");

    // Who asks for nothing has no more than others may ask for.
    let module = load(&Sandbox::new(lowered).unwrap(), &GOOD.assign(assign(LOOP)));
    assert_eq!((module.memory_limit() >> 20, module.call_time()), (32, Duration::from_millis(20)));
    let raised = usual().below(Ceilings { memory_mib: 1024, ..Ceilings::default() });
    let module = Sandbox::new(raised).unwrap().load(&asks(r#""memory_mib": 300"#), Path::new("greedy.wasm")).unwrap();
    assert_eq!((module.memory_limit() >> 20, module.call_time()), (300, Duration::from_secs(1)));
    for beyond in
        [Ceilings { call_ms: 10_001, ..Ceilings::default() }, Ceilings { memory_mib: 1025, ..Ceilings::default() }]
    {
        assert!(Sandbox::new(usual().below(beyond)).is_err(), "{beyond:?}");
    }
}

#[test]
fn a_module_gets_the_memory_and_time_that_it_asks_for_up_to_the_operators() {
    let sandbox = sandbox();
    let grow = assign("(if (i32.eq (memory.grow (i32.const 2000)) (i32.const -1)) (then unreachable)) (i64.const 0)");
    let asks = |limits: &str| format!(r#"{{"abi": "1.0", "name": "good", "limits": {{{limits}}}}}"#);
    let call = |manifest: String, assign: String| {
        let module = load(&sandbox, &GOOD.manifest(manifest).assign(assign));
        module.call(Export::Assign, b"request", BUDGET).map_err(|fault| fault.kind)
    };
    assert_eq!(call(asks(r#""memory_mib": 127"#), grow.clone()), Ok(Vec::new()));
    assert_eq!(call(asks(r#""memory_mib": 100"#), grow.clone()), Err(FaultKind::Memory));
    assert_eq!(
        call(asks(r#""ms": 20"#), assign(LOOP)),
        Err(FaultKind::Deadline),
        "long before the second that others get"
    );
}

#[test]
fn a_module_that_asks_for_no_time_gets_what_the_operator_gives() {
    let limits = SandboxLimits { call_time: Duration::from_millis(20), ..SandboxLimits::default() };
    let sandbox = Sandbox::new(limits).expect("a sandbox");
    let fault =
        load(&sandbox, &GOOD.assign(assign(LOOP))).call(Export::Assign, b"request", BUDGET).expect_err("a loop");
    assert_eq!(fault.kind, FaultKind::Deadline);
    assert!(fault.message.contains("its 20 ms"), "a group may give a call a minute: {fault}");
}

#[test]
fn a_module_that_begins_with_more_than_the_operators_ceiling_names_the_operators_setting() {
    let ceiling = |memory_mib| SandboxLimits::default().below(Ceilings { memory_mib, ..Ceilings::default() });
    // As much as modules of the Rust SDK begin with.
    let bytes = GOOD.memory(r#"(memory (export "memory") 32)"#).bytes();
    let load = |memory_mib| Sandbox::new(ceiling(memory_mib)).unwrap().load(&bytes, Path::new("rust.wasm"));
    let said = load(1).expect_err("it has no room").to_string();
    assert!(said.contains("raise module.max_memory_mib (--max-memory-mib) to 2, or link it"), "{said}");
    assert!(load(2).is_ok());
}
