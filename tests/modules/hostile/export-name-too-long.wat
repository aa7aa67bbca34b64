;; ?
;; An export whose name has 110,000 characters.
(module {{good}} (func (export "{{110000*x}}")))
