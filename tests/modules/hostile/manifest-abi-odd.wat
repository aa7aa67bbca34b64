;; load manifest: its manifest's abi "one" must be two numbers with a dot between, such as "1.0"
;; An ABI that is no version.
(module (@custom "divvy.manifest" "{\"abi\": \"one\", \"name\": \"good\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
