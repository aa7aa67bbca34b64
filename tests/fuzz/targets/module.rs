//! A module of any code: loaded or refused in a sentence, called within its limits, and the next call of a good module
//! works. What it does with its time and its memory is its own.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use divvy_whole::assignor::{Assignor, Budget, Export};
use divvy_whole::sandbox::{Module, Sandbox, SandboxLimits};

/// Short, so that many are tried; one whole page of bulk instructions is far below it.
const BUDGET: Budget = Budget { deadline: Duration::from_millis(20), max_output: 4096 };
/// The deadline, and what a machine that does other things adds to it.
const PATIENCE: Duration = Duration::from_secs(5);
/// A good module needs microseconds, but its thread may have to wait for its turn.
const AT_EASE: Budget = Budget { deadline: PATIENCE, max_output: 4096 };
/// Four pages at most are asked for by what is drawn, and growth is limited.
const MEMORY_BYTES: usize = 8 << 20;

const GOOD: &str = r#"(module
    (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\"}")
    (memory (export "memory") 1)
    (func (export "divvy_abi_v1"))
    (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "divvy_assign") (param i32 i32) (result i64) (i64.const 4)))"#;

static SANDBOX: LazyLock<(Sandbox, Arc<Module>)> = LazyLock::new(|| {
    let limits = SandboxLimits { memory_bytes: MEMORY_BYTES, max_memory_bytes: MEMORY_BYTES, ..SandboxLimits::default() };
    let sandbox = Sandbox::new(limits).expect("a sandbox");
    let good = wat::parse_str(GOOD).expect("a module");
    let good = sandbox.load(&good, Path::new("good.wasm")).expect("it loads");
    (sandbox, good)
});

/// The bytes are what a module is drawn from.
pub fn run(data: &[u8]) {
    if let Some(bytes) = super::smith::module(data) {
        load_and_call(&bytes);
    }
}

/// The whole of a module's life.
#[allow(clippy::disallowed_methods, reason = "a deadline is real time")]
pub fn load_and_call(bytes: &[u8]) {
    let (sandbox, good) = &*SANDBOX;
    match sandbox.load(bytes, Path::new("drawn.wasm")) {
        Err(error) => assert!(error.to_string().starts_with("drawn.wasm: ") && !error.message.is_empty(), "{error}"),
        Ok(module) => {
            for export in [Export::Assign, Export::UserData, Export::Check] {
                let began = Instant::now();
                let reply = module.call(export, b"request", BUDGET);
                assert!(began.elapsed() < PATIENCE, "it ran for {:?}", began.elapsed());
                match reply {
                    Ok(reply) => assert!(reply.len() <= BUDGET.max_output),
                    Err(fault) => assert!(!fault.message.contains(char::is_control), "{fault:?}"),
                }
                let peak = module.last_call().map_or(0, |stats| stats.memory_peak);
                assert!(peak <= MEMORY_BYTES, "it had {peak} bytes");
            }
        }
    }
    assert_eq!(good.call(Export::Assign, b"request", AT_EASE).expect("the next call"), [0; 4]);
}
