;; fine: a reply of 10 bytes
;; 10,000 custom sections of one name.
(module {{good}} {{10000*(@custom "again" "x") }})
