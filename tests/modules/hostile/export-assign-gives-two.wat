;; load exports: its export divvy_assign is (func (param i32 i32) (result i32 i32)); it must be (func (param i32 i32) (result i64))
;; A divvy_assign with two results.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (func (export "divvy_assign") (param i32 i32) (result i32 i32) (i32.const 0) (i32.const 0)))
