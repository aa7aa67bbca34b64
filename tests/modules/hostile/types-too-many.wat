;; ?
;; 20,001 types.
(module {{good}} {{20001*(type (func (param i32 i64 f32 f64)(result i32))) }})
