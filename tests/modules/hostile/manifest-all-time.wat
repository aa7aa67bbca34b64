;; call deadline: divvy_assign ran longer than its 30 ms
;; A module that asks for weeks, and loops: it gets what a call may have.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"ms\": 4294967295}}") {{memory}} {{marker}} {{alloc}}
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (loop (br 0)) unreachable))
