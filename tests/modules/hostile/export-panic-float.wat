;; ?
;; A divvy_panic that is no address.
(module {{good}} (global (export "divvy_panic") f32 (f32.const 1)))
