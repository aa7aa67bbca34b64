//! One engine for all modules: deterministic WebAssembly without imports, interruptible, in pooled slots.

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, Linker, PoolingAllocationConfig, Store};

use super::error::SandboxError;
use super::limits::{
    KEEP_RESIDENT_BYTES, MAX_TABLE_ELEMENTS, SandboxLimits, TABLE_KEEP_RESIDENT_BYTES, WASM_STACK_BYTES,
};

/// A module with one page of memory: instantiating it proves that the pool's address space is there.
const PROBE: &[u8] = b"\0asm\x01\0\0\0\x05\x03\x01\0\x01";

/// The engine whose instances come from a pool, and the one that serves where the pool cannot.
pub(super) struct Engines {
    /// None where the address space is too small for a pool (39-bit machines, tight ulimits).
    pub pooled: Option<Engine>,
    pub on_demand: Engine,
}

impl Engines {
    pub fn start(limits: &SandboxLimits) -> Result<Self, SandboxError> {
        let on_demand = Engine::new(&config()).map_err(|error| SandboxError::Engine(format!("{error:#}")))?;
        Ok(Self { pooled: pooled(limits), on_demand })
    }

    pub fn all(&self) -> Vec<Engine> {
        self.pooled.iter().chain([&self.on_demand]).cloned().collect()
    }
}

/// What code looks at while it runs; code for one is none for the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// The clock, as what serves does.
    Clock,
    /// How many instructions it had ([`super::fuel`]).
    Fuel,
}

/// An engine that only compiles, or serves nobody. For the clock, what it makes fits both of the others: whether instances are pooled
/// is no matter of code.
pub(super) fn alone(pace: Pace) -> wasmtime::Result<Engine> {
    Engine::new(&match pace {
        Pace::Clock => config(),
        Pace::Fuel => counting(),
    })
}

/// Reference types, bulk memory and SIMD stay on, since toolchains use them unasked; what could make two machines
/// answer differently is off. Threads, exceptions and components are not even compiled in.
fn config() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK_BYTES)
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_gc(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .shared_memory(false)
        .wasm_backtrace_details(wasmtime::WasmBacktraceDetails::Disable);
    config
}

/// The same, with instructions counted instead of time.
fn counting() -> Config {
    let mut config = config();
    config.epoch_interruption(false).consume_fuel(true);
    config
}

fn pooled(limits: &SandboxLimits) -> Option<Engine> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(limits.slots())
        .total_memories(limits.slots())
        .total_tables(limits.slots())
        .max_memories_per_module(1)
        .max_tables_per_module(1)
        .max_memory_size(limits.max_memory_bytes)
        .table_elements(MAX_TABLE_ELEMENTS as usize)
        .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
        .table_keep_resident(TABLE_KEEP_RESIDENT_BYTES)
        .pagemap_scan(Enabled::Auto);
    let mut config = config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    let engine = Engine::new(&config).ok()?;
    let probe = wasmtime::Module::from_binary(&engine, PROBE).ok()?;
    Linker::new(&engine).instantiate(&mut Store::new(&engine, ()), &probe).ok()?;
    Some(engine)
}
