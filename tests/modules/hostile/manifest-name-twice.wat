;; ?
;; Two names.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"name\": \"evil\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
