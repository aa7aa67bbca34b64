;; ?
;; A start function without end.
(module {{good}} (func $start (call $start) (call $start)) (start $start))
