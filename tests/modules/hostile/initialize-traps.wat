;; call trap: _initialize stopped with wasm trap: wasm `unreachable` instruction executed; in function 3
;; An _initialize that gives up.
(module {{good}} (func (export "_initialize") unreachable))
