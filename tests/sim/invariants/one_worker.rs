//! Who really works on what, whatever the coordinator thinks.

use std::collections::BTreeMap;

use super::{Invariant, Scene, Seen};

#[derive(Default)]
pub struct OneWorker;

impl Invariant for OneWorker {
    fn sentence(&self) -> &'static str {
        "at no moment do two of divvy's members work on one partition"
    }

    fn see(&mut self, seen: &Seen<'_>, _: &Scene<'_>) -> Result<(), String> {
        let Seen::Works { members } = seen else { return Ok(()) };
        let mut workers = BTreeMap::new();
        for (name, works_on) in *members {
            for partition in *works_on {
                if let Some(other) = workers.insert(partition, *name) {
                    return Err(format!("{other} and {name} both work on {}-{}", partition.0, partition.1));
                }
            }
        }
        Ok(())
    }
}
