;; load limit: one of its functions has 2001 local variables; at most 2000 are allowed: build it with optimisation
;; 2,001 variables, one group each.
(module {{good}} (func {{2001*(local i32) (local i64) }}))
