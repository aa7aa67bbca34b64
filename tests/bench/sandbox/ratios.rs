//! The same strategies in the sandbox and without it, taking turns: what WebAssembly costs by the kind of work.

use anyhow::Result;
use divvy::assignor::Assignor;
use serde_json::Value;

use crate::native::native;
use crate::report::{Bar, Report};
use crate::world::World;
use crate::{load, path, sandbox};

struct Work {
    kind: &'static str,
    strategy: &'static str,
    world: World,
    /// Whether the members have a plan already, and the last one joins.
    one_joins: bool,
    most: f64,
}

pub fn run(rounds: usize, report: &mut Report) -> Result<()> {
    report.scenario("ratio", "wasm / native, medians of calls in turn");
    let works = [
        // A request of members alone: what is done is reading it.
        Work { kind: "codec", strategy: "roundrobin", world: World::even(1, 12, 10_000), one_joins: false, most: 1.25 },
        Work {
            kind: "maps",
            strategy: "rack-aware",
            world: World { racks: 3, ..World::even(50, 200, 200) },
            one_joins: false,
            most: 1.7,
        },
        Work {
            kind: "flat loops",
            strategy: "cooperative-sticky",
            world: World::even(100, 1_000, 2_000),
            one_joins: true,
            most: 2.0,
        },
        Work {
            kind: "flat loops",
            strategy: "roundrobin",
            world: World::even(100, 1_000, 2_000),
            one_joins: false,
            most: 2.0,
        },
    ];
    let sandbox = sandbox()?;
    for Work { kind, strategy, world, one_joins, most } in works {
        let (module, native) = (load(&sandbox, strategy)?, native(strategy));
        let before = World { members: world.members - 1, ..world.clone() };
        let last = match one_joins {
            true => Some(before.group(&*module, None, &Value::Null).plan(&*module)?),
            false => None,
        };
        let group = world.group(&*module, last.as_ref(), &Value::Null);
        let both: [&dyn Assignor; 2] = [&*module, &native];
        let [wasm, plain] = path::compare(&group, both, (rounds / 100).max(10))?;
        let ratio = wasm.as_secs_f64() / plain.as_secs_f64();
        report.figure(&format!("{kind}: {strategy}, {} members", world.members), ratio, "x", Bar::Most(most));
        report.note(&format!("{kind}: {strategy} in the sandbox"), wasm.as_secs_f64() * 1e3, "ms");
    }
    Ok(())
}
