;; load compile: compiling it took more than 512 MiB of memory (sandbox limit compile_memory_bytes): split its largest functions, build it with optimisation, and leave out what it does not use
;; 8,000 conditions within conditions, each with a value.
(module {{good}} (func (param i32) (result i32)
  local.get 0 {{8000*local.get 0 if (param i32) (result i32) }} {{8000*else end }}))
