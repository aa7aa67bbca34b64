;; ?
;; A manifest of 65 KiB.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"description\": \"{{66560*x}}\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
