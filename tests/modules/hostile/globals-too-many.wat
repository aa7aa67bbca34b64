;; load limit: it has 20001 globals; at most 20000 are allowed
;; 20,001 globals.
(module {{good}} {{20001*(global i32 (i32.const #)) }})
