//! Sticky with racks: as even as subscriptions allow, then near replicas, then as few moves as that allows.

use divvy_guest::prelude::*;
use divvy_guest::strategy::sticky::Sticky;

assignor! {
    name: "rack-aware-sticky",
    mode: cooperative,
    offer: by_name,
    rank: 8,
    needs: [replica_racks],
    description: "Sticky that prefers members in a rack of the partition's replicas, within balance (KIP-881).",
    license: "Apache-2.0",
    assign: assign,
}

/// The strategy.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    group.config().only(&[])?;
    Sticky::new(group).near_replicas().plan(owners)
}
