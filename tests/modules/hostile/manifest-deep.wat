;; load manifest: its manifest cannot be read as JSON of ABI 1: invalid type: sequence, expected a string at line 1 column 1
;; A manifest of 20,000 lists within lists.
(module (@custom "divvy.manifest" "{{20000*[}}") {{memory}} {{marker}} {{alloc}} {{assign}})
