;; call trap: divvy_assign stopped with wasm trap: integer overflow; in assign
;; The one quotient that does not fit.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.extend_i32_s (i32.div_s (i32.const 0x80000000) (i32.const -1)))))
