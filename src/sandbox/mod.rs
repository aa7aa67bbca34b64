//! Assignors as WebAssembly modules: loading, checking and calling them under limits.
