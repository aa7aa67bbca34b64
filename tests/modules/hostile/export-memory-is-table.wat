;; ?
;; A table called memory.
(module {{manifest}} {{marker}} (memory 1) (table (export "memory") 1 funcref) {{alloc}} {{assign}})
