;; fine: a reply of 10 bytes
;; 19,990 functions: as many as may be.
(module {{good}} {{19990*(func) }})
