;; ?
;; 20,001 globals.
(module {{good}} {{20001*(global i32 (i32.const #)) }})
