;; ?
;; Two manifests that say different things.
(module {{good}} (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"other\"}"))
