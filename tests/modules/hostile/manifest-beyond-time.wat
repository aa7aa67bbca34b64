;; load limit: its manifest asks for 4294967295 ms for a call (limits.ms), and at most 10000 are allowed: ask for less; module.max_call_ms (--max-call-ms) allows 10000 at most
;; A module that asks for weeks.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"ms\": 4294967295}}") {{memory}} {{marker}} {{alloc}} {{assign}})
