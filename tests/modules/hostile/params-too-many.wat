;; ?
;; A type of 1,001 parameters.
(module {{good}} (func (param {{1001*i64 }})))
