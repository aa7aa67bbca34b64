;; load manifest: its manifest has 66609 bytes; at most 65536 are allowed: shorten the description or schema
;; A manifest of 65 KiB.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"description\": \"{{66560*x}}\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
