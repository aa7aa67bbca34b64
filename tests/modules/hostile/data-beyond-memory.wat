;; call trap: its start stopped with wasm trap: out of bounds memory access
;; 3 MiB of data in a memory of one page.
(module {{good}} (data (i32.const 0) "{{3145728*x}}"))
