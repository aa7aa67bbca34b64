;; load manifest: it has 2 custom sections divvy.manifest; it must have one
;; Two manifests that say different things.
(module {{good}} (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"other\"}"))
