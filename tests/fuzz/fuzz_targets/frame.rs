//! The fuzzer's way into `targets/frame.rs`.
#![no_main]

#[path = "../targets/frame.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::run(data));
