;; call trap: its start stopped with wasm trap: undefined element: out of bounds table access
;; Elements behind the end of their table.
(module {{good}} (table 2 funcref) (func $f) (elem (i32.const 1) func $f $f))
