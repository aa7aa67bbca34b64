;; call trap: its start stopped with wasm trap: out of bounds memory access
;; Data at the end of the address space.
(module {{good}} (data (i32.const -4) "12345678"))
