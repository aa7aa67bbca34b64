//! Kafka's range: of each topic, every subscriber gets one run of consecutive partitions, in member order.

use divvy_guest::prelude::*;
use divvy_guest::strategy::range;

assignor! {
    name: "range",
    rank: 10,
    description: "Gives each subscriber one run of a topic's partitions; topics of equal size stay aligned.",
    license: "Apache-2.0",
    assign: assign,
}

/// The building block as it is.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    range::assign(group, owners);
    Ok(())
}
