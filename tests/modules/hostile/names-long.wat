;; call trap: divvy_assign stopped with wasm trap: wasm `unreachable` instruction executed; in
;; Function names of 60,000 characters, in the trace of a fault.
(module {{manifest}} {{memory}} {{marker}} {{alloc}}
  (func $n{{60000*x}} unreachable)
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (call $n{{60000*x}}) (i64.const 0)))
