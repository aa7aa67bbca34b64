;; ?
;; A name of 65 characters.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"{{65*x}}\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
