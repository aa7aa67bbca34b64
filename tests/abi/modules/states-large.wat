;; Its reply is longer than a state for each member may be.
;; gives: call output
(module
  (memory (export "memory") 16)
  (func (export "divvy_abi_v1"))
  (func (export "divvy_alloc") (param i32) (result i32)
    (drop (memory.grow (i32.add (i32.shr_u (local.get 0) (i32.const 16)) (i32.const 1))))
    (i32.const 1048576))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.const 0x10_0008_0000))
  (data (i32.const 16) "\93\00\93\91\c4\01s\c0\c0\90")
  (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"bad\", \"shape\": \"states\", \"protocol_type\": \"bad\"}"))
