;; load invalid: it is no WebAssembly that runs here: function params size is out of bounds
;; A type of 1,001 parameters.
(module {{good}} (func (param {{1001*i64 }})))
