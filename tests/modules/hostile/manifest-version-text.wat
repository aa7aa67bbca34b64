;; load manifest: its manifest cannot be read as JSON of ABI 1: invalid type: string "1; rm -rf /", expected u32 at line 1 column 55
;; A version that is no number.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"version\": \"1; rm -rf /\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
