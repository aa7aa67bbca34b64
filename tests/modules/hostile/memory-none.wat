;; call invalid_reply: divvy_alloc answered 8 for 7 bytes; its memory ends at 0
;; A memory of no pages.
(module {{manifest}} {{marker}} {{assign-bare}} (memory (export "memory") 0) (func (export "divvy_alloc") (param i32) (result i32) (i32.const 8)))
