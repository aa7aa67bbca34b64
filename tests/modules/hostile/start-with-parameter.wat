;; load invalid: it is no WebAssembly that runs here: invalid start function type (at offset 0x63). Threads, shared memory, relaxed SIMD, GC, exceptions, memory64 and several memories are off; build it for wasm32-unknown-unknown without them
;; A start function that wants something.
(module {{good}} (func $start (param i32)) (start $start))
