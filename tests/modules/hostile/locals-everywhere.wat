;; fine: a reply of 10 bytes
;; 2,000 variables in each of 200 functions.
(module {{good}} {{200*(func (local {{2000*i64 }})) }})
