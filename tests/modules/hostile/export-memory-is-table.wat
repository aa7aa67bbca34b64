;; load exports: it does not export its memory as "memory"
;; A table called memory.
(module {{manifest}} {{marker}} (memory 1) (table (export "memory") 1 funcref) {{alloc}} {{assign}})
