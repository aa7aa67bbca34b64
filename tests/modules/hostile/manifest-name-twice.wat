;; load manifest: its manifest cannot be read as JSON of ABI 1: duplicate field `name` at line 1 column 37
;; Two names.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"name\": \"evil\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
