;; ?
;; 20,001 element segments.
(module {{good}} (table 1 funcref) {{20001*(elem func) }})
