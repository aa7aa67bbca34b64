;; call deadline: divvy_assign ran longer than its 30 ms
;; A loop that turns by its jump table.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (loop $l (block $b (br_table $l $l $l (i32.const 1)))) unreachable))
