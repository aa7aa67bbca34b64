//! Strategies that nobody should write, to measure what WebAssembly costs by the kind of work: each is a module in `examples`.
