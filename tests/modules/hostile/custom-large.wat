;; fine: a reply of 10 bytes
;; A custom section of 3 MiB: it costs nothing.
(module {{good}} (@custom "padding" "{{3145728*x}}"))
