;; call trap: its start stopped with wasm trap: uninitialized element; in start
;; A start function that calls what is not there.
(module {{good}} (table 1 funcref) (func $start (call_indirect (i32.const 0))) (start $start))
