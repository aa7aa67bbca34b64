;; load limit: its manifest asks for 4294967295 MiB of memory (limits.memory_mib), and at most 256 are allowed: ask for less; module.max_memory_mib (--max-memory-mib) allows 1024 at most
;; A module that asks for 4 PiB.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"memory_mib\": 4294967295}}") {{memory}} {{marker}} {{alloc}} {{assign}})
