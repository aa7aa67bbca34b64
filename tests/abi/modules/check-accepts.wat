;; Its own check finds its plan good.
;; gives: plan
(module
  (memory (export "memory") 1)
  (func (export "divvy_abi_v1"))
  (func (export "divvy_alloc") (param i32) (result i32)
    (drop (memory.grow (i32.add (i32.shr_u (local.get 0) (i32.const 16)) (i32.const 1))))
    (i32.const 65536))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.const 0x10_0000_000a))
  (func (export "divvy_check") (param i32 i32) (result i64)
    (i64.const 0x40_0000_0004))
  (data (i32.const 64) "\93\00\c0\90")
  (data (i32.const 16) "\93\00\93\91\c4\01s\c0\c0\90")
  (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"bad\", \"shape\": \"states\", \"protocol_type\": \"bad\"}"))
