;; load limit: it begins with 2048 KiB of memory and may have 1024: ask for 2 with limits.memory_mib in its manifest, or link it with a smaller stack
;; A module that asks for 1 MiB and begins with 2.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"memory_mib\": 1}}") {{marker}} {{alloc}} {{assign}} (memory (export "memory") 32))
