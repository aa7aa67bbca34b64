;; fine: a reply of 10 bytes
;; A memory that says it may have 4 GiB.
(module {{manifest}} {{marker}} {{alloc}} {{assign}} (memory (export "memory") 1 65536))
