;; call memory: divvy_assign wanted more than its 1024 MiB of memory (wasm trap: wasm `unreachable` instruction executed); in assign
;; A module that asks for 4 PiB gets 1 GiB.
(module (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"good\", \"limits\": {\"memory_mib\": 4294967295}}") {{memory}} {{marker}} {{alloc}}
  (func $assign (export "divvy_assign") (param i32 i32) (result i64)
    (drop (memory.grow (i32.const 16384))) unreachable))
