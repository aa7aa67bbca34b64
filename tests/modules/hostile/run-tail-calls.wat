;; call deadline: divvy_assign ran longer than its 30 ms
;; Two functions that call each other for ever, without a stack.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (func $ping (result i64) (return_call $pong)) (func $pong (result i64) (return_call $ping))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (return_call $ping)))
