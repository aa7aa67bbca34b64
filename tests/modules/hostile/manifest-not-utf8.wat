;; load manifest: its manifest cannot be read as JSON of ABI 1: expected value at line 1 column 1
;; A manifest of bytes.
(module (@custom "divvy.manifest" "\ff\fe\00{") {{memory}} {{marker}} {{alloc}} {{assign}})
