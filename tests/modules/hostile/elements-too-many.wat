;; load limit: it has 20001 element segments; at most 20000 are allowed
;; 20,001 element segments.
(module {{good}} (table 1 funcref) {{20001*(elem func) }})
