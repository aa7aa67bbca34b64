//! {{name}}: deals the partitions of all topics out like cards.

use divvy_guest::prelude::*;

assignor! {
    name: "{{name}}",
    version: 1,
    description: "Deals the partitions of all topics out like cards.",
    license: "Apache-2.0",
    assign: assign,
}

/// Each topic goes on with the reader after the one that got the last card, so that members that read the same never differ by more
/// than one partition.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let mut dealt = 0;
    for topic in group.topics() {
        owners.deal(topic.partitions(), &topic.subscribers(), dealt);
        dealt += topic.len();
    }
    Ok(())
}
