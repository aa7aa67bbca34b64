;; call trap: divvy_assign stopped with wasm trap: out of bounds memory access; in assign
;; A copy that ends behind the memory.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (memory.copy (i32.const 0) (i32.const 8) (i32.const -1)) (i64.const 0)))
