;; Leaves a text behind divvy_panic and traps.
;; gives: call trap
(module
  (global (export "divvy_panic") i32 (i32.const 64))
  (memory (export "memory") 1)
  (func (export "divvy_abi_v1"))
  (func (export "divvy_alloc") (param i32) (result i32)
    (drop (memory.grow (i32.add (i32.shr_u (local.get 0) (i32.const 16)) (i32.const 1))))
    (i32.const 65536))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    unreachable)
  (data (i32.const 64) "\09\00\00\00no reason")
  (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"bad\"}"))
