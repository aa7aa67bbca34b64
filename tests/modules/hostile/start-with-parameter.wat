;; load invalid: it is no WebAssembly that runs here: invalid start function type
;; A start function that wants something.
(module {{good}} (func $start (param i32)) (start $start))
