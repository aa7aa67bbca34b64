//! The fuzzer's way into `targets/request.rs`.
#![no_main]
#![allow(dead_code, reason = "of the laws' tables only the list of all messages is needed here")]

#[macro_use]
#[path = "../../laws/schema.rs"]
mod schema;
#[path = "../targets/request.rs"]
mod target;

/// The laws' tables name their types from here.
mod wire {
    pub use divvy::wire::{ErrorCode, Text};
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::run(data));
