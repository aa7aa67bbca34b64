;; call deadline: divvy_assign ran longer than its 30 ms
;; All of its memory touched, page by page, for ever.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (drop (memory.grow (i32.const 1000)))
    (loop $l (i32.store (local.get 0) (i32.const 1))
      (local.set 0 (i32.rem_u (i32.add (local.get 0) (i32.const 4096)) (i32.const 65536000))) (br $l)) unreachable))
