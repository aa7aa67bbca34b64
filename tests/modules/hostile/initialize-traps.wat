;; ?
;; An _initialize that gives up.
(module {{good}} (func (export "_initialize") unreachable))
