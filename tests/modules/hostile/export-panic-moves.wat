;; call trap: divvy_assign stopped with wasm trap: wasm `unreachable` instruction executed; in assign
;; A divvy_panic that changes while it runs, to an address behind the memory.
(module {{manifest}} {{memory}} {{marker}} {{alloc}} (global $p (export "divvy_panic") (mut i32) (i32.const 0))
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (global.set $p (i32.const -1)) unreachable))
