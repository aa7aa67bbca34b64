;; fine: a reply of 10 bytes
;; 20,000 values on the stack at once.
(module {{good}} (func (result i32)
  {{20000*i32.const 1 }} {{19999*i32.add }}))
