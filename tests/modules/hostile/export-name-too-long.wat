;; load invalid: it is no WebAssembly that runs here: string size out of bounds (at offset 0x61). Threads, shared memory, relaxed SIMD, GC, exceptions, memory64 and several memories are off; build it for wasm32-unknown-unknown without them
;; An export whose name has 110,000 characters.
(module {{good}} (func (export "{{110000*x}}")))
