;; call stack: its start nested its calls too deep; in start < start < start < start < start < start
;; A start function without end.
(module {{good}} (func $start (call $start) (call $start)) (start $start))
