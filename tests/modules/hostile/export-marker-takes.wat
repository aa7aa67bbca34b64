;; load exports: its export divvy_abi_v1 is (func (param i32)); it must be (func)
;; A marker with a parameter.
(module {{manifest}} {{memory}} {{alloc}} {{assign}} (func (export "divvy_abi_v1") (param i32)))
