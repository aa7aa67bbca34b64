;; load limit: it has 65537 data segments; at most 65536 are allowed
;; 65,536 data segments beside the good module's own.
(module {{good}} {{65536*(data (i32.const 0) "x") }})
