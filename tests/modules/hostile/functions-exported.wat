;; load limit: it has 20005 exports; at most 20000 are allowed
;; 20,001 exports of one function.
(module {{good}} (func $f) {{20001*(export "f#" (func $f)) }})
