;; load invalid: it is no WebAssembly that runs here: string size out of bounds
;; An export whose name has 110,000 characters.
(module {{good}} (func (export "{{110000*x}}")))
