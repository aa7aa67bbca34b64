;; load invalid: it is no WebAssembly that runs here: function params size is out of bounds (at offset 0x1b). Threads, shared memory, relaxed SIMD, GC, exceptions, memory64 and several memories are off; build it for wasm32-unknown-unknown without them
;; A type of 1,001 parameters.
(module {{good}} (func (param {{1001*i64 }})))
