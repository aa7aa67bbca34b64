//! The fuzzer's way into `targets/capture.rs`.
#![no_main]

#[path = "../targets/capture.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::run(data));
