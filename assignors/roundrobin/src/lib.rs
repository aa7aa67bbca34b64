//! Kafka's roundrobin: one cursor over the members deals out the partitions of all topics like cards.

use divvy_guest::prelude::*;
use divvy_guest::strategy::round_robin;

assignor! {
    name: "roundrobin",
    rank: 5,
    description: "Deals the partitions of all topics out in turn; members that read the same topics differ by one at most.",
    license: "Apache-2.0",
    assign: assign,
}

/// The building block as it is.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    round_robin::assign(group, owners);
    Ok(())
}
