;; call trap: divvy_assign stopped with wasm trap: wasm `unreachable` instruction executed; in \u{7} < assign
;; A function name that would move a terminal's cursor.
(module {{manifest}} {{memory}} {{marker}} {{alloc}}
  (func (@name "\1b[2J\0d\0aerror: all is lost") unreachable)
  (func $bell (@name "\07") unreachable)
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (call $bell) (i64.const 0)))
