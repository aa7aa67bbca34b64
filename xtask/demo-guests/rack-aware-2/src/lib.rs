//! Version 2 of rack-aware, as the demo rolls it out: it balances over all topics instead of topic by topic.

use divvy_guest::prelude::*;

#[path = "../../nearest.rs"]
mod nearest;

assignor! {
    name: "rack-aware",
    version: 2,
    rank: 20,
    needs: [replica_racks],
    description: "Each partition to the least loaded member in one of its racks.",
    license: "Apache-2.0",
    assign: nearest::nearest
}
