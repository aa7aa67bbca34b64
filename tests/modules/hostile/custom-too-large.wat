;; load too_large: it has 5243084 bytes, at most 4194304 are allowed: build it with optimisation and strip it
;; A custom section of 5 MiB.
(module {{good}} (@custom "padding" "{{5242880*x}}"))
