;; call stack: _initialize nested its calls too deep; in f < f < f < f < f < f
;; An _initialize that calls itself.
(module {{good}} (func $f (export "_initialize") (call $f) (call $f)))
