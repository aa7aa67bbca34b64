;; ?
;; 20,001 data segments.
(module {{good}} {{20001*(data (i32.const 0) "x") }})
