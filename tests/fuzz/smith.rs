//! Modules that nobody would write: any code behind the exports of ABI 1, drawn from bytes.

use arbitrary::Unstructured;
use wasm_smith::{Config, Module};

/// The exports of ABI 1 and a type for each.
const SHAPE: &str = r#"(module
    (memory (export "memory") 1 4)
    (func (export "divvy_abi_v1"))
    (func (export "divvy_alloc") (param i32) (result i32) unreachable)
    (func (export "divvy_assign") (param i32 i32) (result i64) unreachable)
    (func (export "divvy_user_data") (param i32 i32) (result i64) unreachable)
    (func (export "_initialize")))"#;

/// The section behind the code; a custom section may stand anywhere.
const MANIFEST: &str = r#"{"abi": "1.0", "name": "drawn"}"#;
const SECTION: &str = "divvy.manifest";

/// The module that these bytes stand for; none if they are too few.
pub fn module(data: &[u8]) -> Option<Vec<u8>> {
    let config = Config {
        exports: Some(wat::parse_str(SHAPE).expect("the shape is a module")),
        max_imports: 0,
        // The one that is exported comes on top.
        max_memories: 0,
        max_tables: 1,
        max_instructions: 300,
        allow_start_export: true,
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        // References to things of the host want a collector.
        reference_types_enabled: false,
        relaxed_simd_enabled: false,
        threads_enabled: false,
        ..Config::default()
    };
    let drawn = Module::new(config, &mut Unstructured::new(data)).ok()?;
    let mut bytes = drawn.to_bytes();
    let short = |length: usize| u8::try_from(length).expect("one byte of LEB128 is enough");
    let length = 1 + SECTION.len() + MANIFEST.len();
    assert!(length < 128, "one byte of LEB128 is enough");
    bytes.extend([0, short(length), short(SECTION.len())]);
    bytes.extend(SECTION.bytes().chain(MANIFEST.bytes()));
    Some(bytes)
}

/// Bytes that a seed stands for (SplitMix64).
pub fn draw(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).to_le_bytes()
    };
    (0..length.div_ceil(8)).flat_map(|_| next()).take(length).collect()
}
