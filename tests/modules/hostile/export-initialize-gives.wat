;; load exports: its export _initialize is (func (result i32)); it must be (func)
;; An _initialize with a result.
(module {{good}} (func (export "_initialize") (result i32) (i32.const 1)))
