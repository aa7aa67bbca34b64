;; ?
;; A start function that wants something.
(module {{good}} (func $start (param i32)) (start $start))
