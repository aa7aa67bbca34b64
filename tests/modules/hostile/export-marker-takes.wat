;; ?
;; A marker with a parameter.
(module {{manifest}} {{memory}} {{alloc}} {{assign}} (func (export "divvy_abi_v1") (param i32)))
