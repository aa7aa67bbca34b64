//! The fuzzer's way into `targets/embedded.rs`.
#![no_main]

#[path = "../targets/embedded.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::run(data));
