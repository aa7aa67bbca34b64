;; fine: a reply of 10 bytes
;; A start function that takes all that it may have, and no more.
(module {{manifest}} {{marker}} {{assign}} {{memory}}
  (func (export "divvy_alloc") (param i32) (result i32) (i32.const 65536))
  (func $start (drop (memory.grow (i32.const 1023)))) (start $start))
