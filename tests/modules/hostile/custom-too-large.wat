;; ?
;; A custom section of 5 MiB.
(module {{good}} (@custom "padding" "{{5242880*x}}"))
