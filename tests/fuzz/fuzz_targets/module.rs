//! The fuzzer's way into `targets/module.rs`.
#![no_main]

#[path = "../smith.rs"]
#[allow(dead_code, reason = "seeds are the examples'")]
mod smith;
#[path = "../targets/module.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::run(data));
