;; fine: a reply of 10 bytes
;; 15,000 blocks within blocks: no recursion of the host follows them.
(module {{good}} (func
  {{15000*block }} {{15000*end }}))
