;; call deadline: divvy_assign ran longer than its 30 ms
;; A loop of vectors.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64) (local v128)
    (loop (local.set 2 (i32x4.add (local.get 2) (i32x4.splat (i32.const 1)))) (br 0)) unreachable))
