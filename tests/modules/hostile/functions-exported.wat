;; ?
;; 20,001 exports of one function.
(module {{good}} (func $f) {{20001*(export "f#" (func $f)) }})
