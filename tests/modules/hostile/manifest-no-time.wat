;; ?
;; A module that asks for no time at all.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"ms\": 0}}") {{memory}} {{marker}} {{alloc}} {{assign}})
