//! The fuzzer's way into `targets/tagged.rs`.
#![no_main]

#[path = "../targets/tagged.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::run(data));
