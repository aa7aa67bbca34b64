;; ?
;; A manifest of bytes.
(module (@custom "divvy.manifest" "\ff\fe\00{") {{memory}} {{marker}} {{alloc}} {{assign}})
