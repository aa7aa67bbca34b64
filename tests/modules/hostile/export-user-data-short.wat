;; load exports: its export divvy_user_data is (func (param i32) (result i64)); it must be (func (param i32 i32) (result i64))
;; A divvy_user_data with one parameter.
(module {{good}} (func (export "divvy_user_data") (param i32) (result i64) (i64.const 0)))
