//! The plan of the demo's later versions: each partition to the least loaded subscriber in one of its racks, else to the
//! least loaded of all.

use divvy_guest::prelude::*;

/// Makes the plan.
pub fn nearest(group: &Group, owners: &mut Owners) -> Result<(), Refusal> {
    let racks = group.replica_racks();
    let mut load = vec![0_u32; group.members().len()];
    for topic in group.topics() {
        let subscribers = topic.subscribers();
        for partition in topic.partitions() {
            let is_near = |member: &&Member<'_>| {
                racks.as_ref().is_some_and(|racks| racks.of(partition).any(|rack| member.rack() == Some(rack)))
            };
            let near = subscribers.iter().filter(is_near).min_by_key(|member| load[member.index()]);
            let owner = near.or_else(|| subscribers.iter().min_by_key(|member| load[member.index()]));
            if let Some(owner) = owner {
                load[owner.index()] += 1;
                owners.give(partition, *owner);
            }
        }
    }
    Ok(())
}
