;; load limit: it has 20002 data segments; at most 20000 are allowed
;; 20,001 data segments.
(module {{good}} {{20001*(data (i32.const 0) "x") }})
