;; call trap: divvy_assign stopped with wasm trap: out of bounds memory access; in assign
;; Data that were dropped.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (data $d "1234")
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (data.drop $d) (memory.init $d (i32.const 0) (i32.const 0) (i32.const 4)) (i64.const 0)))
