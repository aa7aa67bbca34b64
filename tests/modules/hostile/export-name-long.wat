;; fine: a reply of 10 bytes
;; An export whose name has 90,000 characters.
(module {{good}} (func (export "{{90000*x}}")))
