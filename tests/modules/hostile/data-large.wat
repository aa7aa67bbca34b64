;; fine: a reply of 10 bytes
;; 3 MiB of data in a memory that holds them.
(module {{manifest}} {{marker}} {{assign}} (memory (export "memory") 64) {{alloc}} (data (i32.const 131072) "{{3145728*x}}"))
