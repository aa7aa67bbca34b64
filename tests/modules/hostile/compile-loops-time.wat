;; ?
;; Ten functions whose 1,900 variables live in 600 loops within loops.
(module {{good}} {{10*(func (local {{1900*i64 }})
  {{600*(loop (local.set # (local.get 7)) }}
  {{600*(br_if 0 (i32.wrap_i64 (local.get 0)))) }})}})
