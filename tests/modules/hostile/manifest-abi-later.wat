;; fine: a reply of 10 bytes
;; An ABI that is not there yet.
(module (@custom "divvy.manifest" "{\"abi\": \"1.99\", \"name\": \"good\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
