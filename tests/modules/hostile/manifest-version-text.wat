;; ?
;; A version that is no number.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"version\": \"1; rm -rf /\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
