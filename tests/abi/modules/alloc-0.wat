;; Its divvy_alloc has no room.
;; gives: call memory
(module
  (memory (export "memory") 1)
  (func (export "divvy_abi_v1"))
  (func (export "divvy_alloc") (param i32) (result i32) (i32.const 0))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.const 0x10_0000_0010))
  (data (i32.const 16) "\93\00\95\01\c4\06\00\00\00\00\00\00\c0\c0\c0\90")
  (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"bad\"}"))
