//! How much work a plan is, counted in instructions of the module: the same on every machine, busy or not. Time is for
//! `cargo xtask bench assignors --grid`, which looks at every cell of the grid; here are those in which searches had cliffs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use divvy::assignor::{Assignor, Call};
use serde_json::json;
use wasmtime::{Config, Engine, Instance, Module, Store};

use crate::grid::Cell;
use crate::native::native;

/// A billion takes a third of a second or more; the deadline of a module is one second.
const MOST: u64 = 400_000_000;

/// No neighbour may need so many times as much, as in the benchmark; less than this counts as this, about a millisecond.
const CLIFF: u64 = 20;
const FLOOR: u64 = 4_000_000;

struct Counter {
    engine: Engine,
    module: Module,
}

impl Counter {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors").join(format!("{name}.wasm"));
        let mut config = Config::new();
        config.consume_fuel(true);
        let engine = Engine::new(&config).unwrap();
        let module = Module::new(&engine, fs::read(path).unwrap()).unwrap();
        Counter { engine, module }
    }

    /// The instructions of one call, those for a fresh instance included.
    fn count(&self, request: &[u8]) -> u64 {
        let mut store = Store::new(&self.engine, ());
        store.set_fuel(u64::MAX).unwrap();
        let instance = Instance::new(&mut store, &self.module, &[]).unwrap();
        let alloc = instance.get_typed_func::<u32, u32>(&mut store, "divvy_alloc").unwrap();
        let at = alloc.call(&mut store, request.len() as u32).unwrap();
        instance.get_memory(&mut store, "memory").unwrap().write(&mut store, at as usize, request).unwrap();
        let assign = instance.get_typed_func::<(u32, u32), u64>(&mut store, "divvy_assign").unwrap();
        assign.call(&mut store, (at, request.len() as u32)).unwrap();
        u64::MAX - store.get_fuel().unwrap()
    }
}

/// Few members with many partitions each, which search longest for what a member does not have; and groups of 50 whose racks are in
/// the way as well.
fn cells() -> impl Iterator<Item = Cell> {
    Cell::all().filter(|cell| {
        let [members, topics, partitions, distribution, reads, racks, event] = cell.0;
        let is_small = members == 0 && distribution + racks == 0;
        let has_racks = members <= 1 && racks == 1 && [distribution, topics] == [0, 1] && reads == 2;
        partitions == 2 && (is_small || has_racks) && [0, 3, 4].contains(&event)
    })
}

#[test]
fn copies_are_evened_out_without_a_cliff() {
    let (counter, natively, config) = (Counter::new("redundant"), native("redundant"), json!({ "copies": 2 }));
    let mut counts = BTreeMap::new();
    for cell in cells() {
        let (group, _) = cell.group(&natively, &config).unwrap();
        let input = group.input();
        let call = Call::prepare(natively.manifest(), &input).unwrap();
        counts.insert(cell, counter.count(call.request()));
    }
    for (cell, &count) in &counts {
        assert!(count <= MOST, "{cell}: {count} instructions");
        for (other, &of_other) in cell.neighbours().filter_map(|other| counts.get_key_value(&other)) {
            let (less, more) = (count.min(of_other).max(FLOOR), count.max(of_other));
            assert!(more <= less * CLIFF, "a cliff: {count} instructions, {cell}; {of_other}, {other}");
        }
    }
}
