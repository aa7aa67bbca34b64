;; call trap: divvy_assign stopped with wasm trap: undefined element: out of bounds table access; in assign
;; A call behind the end of the table.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (table 1 funcref)
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (call_indirect (i32.const 70000)) (i64.const 0)))
