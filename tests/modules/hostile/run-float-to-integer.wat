;; call trap: divvy_assign stopped with wasm trap: invalid conversion to integer; in assign
;; A number that is none as an integer.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} 
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.trunc_f64_s (f64.const nan))))
