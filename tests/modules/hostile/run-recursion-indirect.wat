;; call stack: divvy_assign nested its calls too deep
;; A recursion through a table.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (table 1 funcref) (elem (i32.const 0) func $again) (func $again (result i64) (i64.add (call_indirect (result i64) (i32.const 0)) (i64.const 1)))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (call_indirect (result i64) (i32.const 0)) (i64.add (i64.const 1))))
