;; ?
;; 10,000 custom sections of one name.
(module {{good}} {{10000*(@custom "again" "x") }})
