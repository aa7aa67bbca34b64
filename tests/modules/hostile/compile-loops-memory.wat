;; load compile: compiling it took longer than 4 s (sandbox limit compile_time): split its largest functions, build it with optimisation, and leave out what it does not use
;; One function whose 1,900 variables live in 1,500 loops within loops: gigabytes for a compiler.
(module {{good}} {{1*(func (local {{1900*i64 }})
  {{1500*(loop (local.set # (local.get 7)) }}
  {{1500*(br_if 0 (i32.wrap_i64 (local.get 0)))) }})}})
