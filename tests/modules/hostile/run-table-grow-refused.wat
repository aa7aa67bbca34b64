;; fine: a reply of 10 bytes
;; A table that may not grow, and a module that lives with it.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (table 1 funcref) (data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90")
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (drop (table.grow 0 (ref.null func) (i32.const 100000))) (i64.const 0x10_0000_000a)))
