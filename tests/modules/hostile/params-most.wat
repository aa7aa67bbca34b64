;; fine: a reply of 10 bytes
;; A type of 1,000 parameters and 1,000 results.
(module {{good}} (func (param {{1000*i64 }}) (result {{1000*i64 }})
  {{1000*local.get # }}))
