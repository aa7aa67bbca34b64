;; load manifest: its manifest cannot be read as JSON of ABI 1: invalid value: integer `18446744073709551615`, expected u32 at line 1 column 62
;; A version that no counter holds.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"version\": 18446744073709551615}") {{memory}} {{marker}} {{alloc}} {{assign}})
