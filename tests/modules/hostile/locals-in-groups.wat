;; ?
;; 2,001 variables, one group each.
(module {{good}} (func {{2001*(local i32) (local i64) }}))
