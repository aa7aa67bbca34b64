;; ?
;; A jump table of 70,000 targets.
(module {{good}} (func (param i32)
  (block (br_table {{70000*0 }} (local.get 0)))))
