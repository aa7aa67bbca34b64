;; load exports: its export divvy_panic must be an i32 global, the address of the panic's text
;; A divvy_panic that is no address.
(module {{good}} (global (export "divvy_panic") f32 (f32.const 1)))
