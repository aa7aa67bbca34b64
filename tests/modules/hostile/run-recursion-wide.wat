;; call stack: divvy_assign nested its calls too deep
;; A recursion with 1,000 variables in each frame.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (func $deep (param i64) (result i64) (local {{1000*i64 }})
    {{1000*(local.set # (i64.add (local.get 0) (i64.const #))) }}
    (call $deep (local.get 7)) {{1000*local.get # i64.add }})
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (call $deep (i64.const 1))))
