;; load manifest: its manifest's name "" must have 1 to 64 characters, each one of a-z 0-9 . _ -
;; An empty name.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
