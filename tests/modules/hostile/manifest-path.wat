;; load manifest: its manifest's name "../../etc/cron.d/x" must have 1 to 64 characters, each one of a-z 0-9 . _ -
;; A name that is a path.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"../../etc/cron.d/x\"}") {{memory}} {{marker}} {{alloc}} {{assign}})
