;; fine: a reply of 10 bytes
;; One function whose 1,900 variables live in 1,500 loops within loops: gigabytes for a compiler.
(module {{good}} {{1*(func (local {{1900*i64 }})
  {{1500*(loop (local.set # (local.get 7)) }}
  {{1500*(br_if 0 (i32.wrap_i64 (local.get 0)))) }})}})
