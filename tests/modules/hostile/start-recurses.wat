;; call stack: its start nested its calls too deep
;; A start function without end.
(module {{good}} (func $start (call $start) (call $start)) (start $start))
