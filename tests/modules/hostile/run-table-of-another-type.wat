;; call trap: divvy_assign stopped with wasm trap: indirect call type mismatch; in assign
;; A call of a function of another type.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (table 1 funcref) (elem (i32.const 0) func $other) (func $other)
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (call_indirect (param i32) (i32.const 1) (i32.const 0)) (i64.const 0)))
