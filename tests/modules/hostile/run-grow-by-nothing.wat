;; call deadline: divvy_assign ran longer than its 30 ms
;; Memory that grows by nothing for ever.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (loop (drop (memory.grow (i32.const 0))) (br 0)) unreachable))
