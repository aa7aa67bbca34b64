;; call deadline: divvy_assign ran longer than its 30 ms
;; A module that asks for all the time that it may, and loops: it gets what the call has.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"ms\": 10000}}") {{memory}} {{marker}} {{alloc}}
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (loop (br 0)) unreachable))
