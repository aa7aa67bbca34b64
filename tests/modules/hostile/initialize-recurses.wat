;; call stack: _initialize nested its calls too deep
;; An _initialize that calls itself.
(module {{good}} (func $f (export "_initialize") (call $f) (call $f)))
