;; ?
;; A version that no counter holds.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"version\": 18446744073709551615}") {{memory}} {{marker}} {{alloc}} {{assign}})
