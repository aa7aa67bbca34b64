;; call memory: divvy_assign wanted more than its 256 MiB of memory (wasm trap: wasm `unreachable` instruction executed); in assign
;; A module that asks for as much as it may, and wants more.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"memory_mib\": 256}}") {{memory}} {{marker}} {{alloc}}
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (drop (memory.grow (i32.const 4096))) unreachable))
