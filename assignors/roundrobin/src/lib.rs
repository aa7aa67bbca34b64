//! Kafka's roundrobin: one cursor over the members deals out the partitions of all topics like cards.

use divvy_guest::prelude::*;

assignor! {
    name: "roundrobin",
    rank: 5,
    description: "Deals the partitions of all topics out in turn; members that read the same topics differ by one at most.",
    license: "Apache-2.0",
    assign: assign,
}

/// Topics by name, partitions by number, members in Kafka's order. The cursor passes over members that do not subscribe, and goes on
/// from where it is with the next topic.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    // The cursor stands before this place in the order of all members.
    let mut cursor = 0;
    for run in group.runs() {
        let subscribers = run.subscribers();
        let partitions = run.partitions();
        // Within a run all skips are alike, so they are made once: the next subscriber at or behind the cursor, else the first.
        let first = subscribers.partition_point(|member| member.place() < cursor) % subscribers.len();
        let last = subscribers[(first + partitions.len() - 1) % subscribers.len()];
        owners.deal(partitions, subscribers, first);
        cursor = (last.place() + 1) % group.members().len();
    }
    Ok(())
}
