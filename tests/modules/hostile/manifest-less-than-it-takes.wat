;; ?
;; A module that asks for 1 MiB and begins with 2.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"memory_mib\": 1}}") {{marker}} {{alloc}} {{assign}} (memory (export "memory") 32))
