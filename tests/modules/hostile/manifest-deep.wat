;; ?
;; A manifest of 20,000 lists within lists.
(module (@custom "divvy.manifest" "{{20000*[}}") {{memory}} {{marker}} {{alloc}} {{assign}})
