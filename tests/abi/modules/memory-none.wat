;; Has no memory.
;; gives: load exports
(module
  (func (export "divvy_abi_v1"))
  (func (export "divvy_alloc") (param i32) (result i32) (i32.const 16))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (i64.const 0))
  (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"bad\"}"))
