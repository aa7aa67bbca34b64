//! A whole strategy: deals each topic's partitions out like cards.

use divvy_guest::prelude::*;
assignor! { name: "hello", license: "Apache-2.0", assign: deal }
fn deal(group: &Group, owners: &mut Owners) -> Result<(), Refusal> {
    for topic in group.topics() {
        for (partition, &member) in topic.partitions().zip(topic.subscribers().iter().cycle()) {
            owners.give(partition, member);
        }
    }
    Ok(())
}
