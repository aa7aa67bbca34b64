;; ?
;; A marker that is no function.
(module {{manifest}} {{memory}} {{alloc}} {{assign}} (export "divvy_abi_v1" (memory 0)))
