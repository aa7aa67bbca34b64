;; load manifest: its manifest's name "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" must have 1 to 64 characters, each one of a-z 0-9 . _ -
;; A name of 65 characters.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"{{65*x}}\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
