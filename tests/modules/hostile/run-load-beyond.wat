;; call trap: divvy_assign stopped with wasm trap: out of bounds memory access; in assign
;; A read at the end of the address space, with an offset.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.load offset=4294967295 (i32.const -1))))
