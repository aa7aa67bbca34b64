;; Its reply begins within its memory and ends behind it.
;; gives: call invalid_reply
(module
  (memory (export "memory") 1)
  (func (export "divvy_abi_v1"))
  (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.const 0x0000_fff8_0000_0010))
  (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"bad\"}"))
