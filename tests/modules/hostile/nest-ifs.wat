;; load compile: compiling it took ~(sandbox limit compile_~): split its largest functions
;; 8,000 conditions within conditions, each with a value.
(module {{good}} (func (param i32) (result i32)
  local.get 0 {{8000*local.get 0 if (param i32) (result i32) }} {{8000*else end }}))
