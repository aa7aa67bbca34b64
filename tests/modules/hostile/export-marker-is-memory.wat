;; load exports: its export divvy_abi_v1 is no function
;; A marker that is no function.
(module {{manifest}} {{memory}} {{alloc}} {{assign}} (export "divvy_abi_v1" (memory 0)))
