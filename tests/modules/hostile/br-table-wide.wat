;; fine: a reply of 10 bytes
;; Ten jump tables of 30,000 targets each: large, and no harm.
(module {{good}} {{10*(func (param i32)
  (block (block (block (br_table {{10000*0 1 2 }} 0 (local.get 0))))))}})
