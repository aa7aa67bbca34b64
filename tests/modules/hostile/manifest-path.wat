;; ?
;; A name that is a path.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"../../etc/cron.d/x\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
