;; ?
;; An ABI that is no version.
(module (@custom "divvy.manifest" "{\"abi\": \"one\", \"name\": \"good\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
