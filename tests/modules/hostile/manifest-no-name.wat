;; ?
;; An empty name.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
