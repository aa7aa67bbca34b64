;; load exports: its export divvy_alloc is no function
;; A global called divvy_alloc.
(module {{manifest}} {{memory}} {{marker}} {{assign}} (global (export "divvy_alloc") i32 (i32.const 8)))
