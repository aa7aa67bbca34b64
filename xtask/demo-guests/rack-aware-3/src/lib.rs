//! Version 3 of rack-aware, as the demo rolls it out: it passes every check before it serves, and traps in one group.

use divvy_guest::prelude::*;

#[path = "../../nearest.rs"]
mod nearest;

assignor! {
    name: "rack-aware",
    version: 3,
    rank: 20,
    needs: [replica_racks],
    description: "Version 2, with a mistake.",
    license: "Apache-2.0",
    assign: plan
}

/// The mistake: it takes what happens in one group for impossible.
fn plan(group: &Group, owners: &mut Owners) -> Result<(), Refusal> {
    if group.id() == "search-indexers" {
        panic!("no weight for the members of this group");
    }
    nearest::nearest(group, owners)
}
