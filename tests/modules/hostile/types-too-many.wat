;; load limit: it has 20004 types; at most 20000 are allowed
;; 20,001 types.
(module {{good}} {{20001*(type (func (param i32 i64 f32 f64)(result i32))) }})
