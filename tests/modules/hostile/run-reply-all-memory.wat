;; call output: divvy_assign answered 65536000 bytes; at most 1048576 are allowed
;; A reply as large as its memory.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (drop (memory.grow (i32.const 1000))) (i64.const 65536000)))
