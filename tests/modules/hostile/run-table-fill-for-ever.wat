;; call deadline: divvy_assign ran longer than its 30 ms
;; A table that is filled again and again.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (table 10000 funcref)
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (loop (table.fill 0 (i32.const 0) (ref.null func) (i32.const 10000)) (br 0)) unreachable))
