;; load exports: its export divvy_assign is (func (param i64 i64) (result i64)); it must be (func (param i32 i32) (result i64))
;; A divvy_assign of 64-bit addresses.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (func (export "divvy_assign") (param i64 i64) (result i64) (i64.const 0)))
