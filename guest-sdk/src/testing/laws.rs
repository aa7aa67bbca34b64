//! Laws that most strategies promise. Each panics with the topic, partition and member that break it.

use std::collections::BTreeSet;

use super::{TestGroup, TestPlan};

/// Complete, disjoint and subscribed: what the host demands of every plan with `complete: true`.
pub fn whole(group: &TestGroup, plan: &TestPlan) {
    complete(group, plan);
    disjoint(plan);
    subscribed(group, plan);
}

/// Every partition of a subscribed topic has as many owners as there are copies, or subscribers if these are fewer.
pub fn complete(group: &TestGroup, plan: &TestPlan) {
    for (name, topic) in &group.topics {
        let subscribers = group.members.values().filter(|member| member.topics.contains(name)).count();
        for partition in 0..topic.partitions {
            let owners = plan.owners.get(&(name.clone(), partition)).map_or(0, Vec::len);
            let expected = subscribers.min(usize::from(plan.copies));
            assert_eq!(owners, expected, "{name}-{partition} has {owners} owners of {expected}");
        }
    }
}

/// No partition goes to one member twice, and none to more members than there are copies.
pub fn disjoint(plan: &TestPlan) {
    for ((topic, partition), owners) in &plan.owners {
        let distinct: BTreeSet<&String> = owners.iter().collect();
        assert_eq!(distinct.len(), owners.len(), "{topic}-{partition} goes to one member twice: {owners:?}");
    }
}

/// Nobody gets a partition of a topic that it does not subscribe to.
pub fn subscribed(group: &TestGroup, plan: &TestPlan) {
    for ((topic, partition), owners) in &plan.owners {
        for owner in owners {
            assert!(group.members[owner].topics.contains(topic), "{owner} does not read {topic}, yet gets {partition}");
        }
    }
}

/// No member has more than `most` partitions above another. Only for members that read the same topics.
pub fn balanced(plan: &TestPlan, most: usize) {
    let sizes = || plan.members.keys().map(|member| plan.size(member));
    let (least, greatest) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    assert!(greatest - least <= most, "members have {least} to {greatest} partitions");
}

/// Of every topic, no subscriber has more than one partition above another.
pub fn balanced_by_topic(group: &TestGroup, plan: &TestPlan) {
    for name in group.topics.keys() {
        let readers = group.members.values().filter(|member| member.topics.contains(name));
        let sizes: Vec<usize> = readers.map(|member| plan.of(&member.id, name).len()).collect();
        let (least, greatest) = (sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0));
        assert!(greatest - least <= 1, "readers of {name} have {least} to {greatest} of its partitions");
    }
}

/// Topics with the same number of partitions and the same readers have each partition number with the same member.
pub fn copartitioned(group: &TestGroup, plan: &TestPlan) {
    let readers = |topic: &String| -> Vec<&String> {
        group.members.values().filter(|member| member.topics.contains(topic)).map(|member| &member.id).collect()
    };
    for (one, first) in &group.topics {
        for (other, second) in group.topics.range(one.clone()..).skip(1) {
            if first.partitions == second.partitions && readers(one) == readers(other) {
                for partition in 0..first.partitions {
                    let owners = |topic: &String| plan.owners.get(&(topic.clone(), partition));
                    assert_eq!(owners(one), owners(other), "partition {partition} of {one} and {other}");
                }
            }
        }
    }
}

/// How many partitions went to a member whose rack holds no replica of them.
pub fn rack_mismatches(group: &TestGroup, plan: &TestPlan) -> usize {
    let mismatch = |topic: &str, partition: u32, owner: &String| {
        let racks = group.topics[topic].racks.get(partition as usize);
        group.members[owner].rack.as_ref().is_some_and(|rack| !racks.is_some_and(|racks| racks.contains(rack)))
    };
    let owners = plan.owners.iter();
    owners.map(|((topic, at), owners)| owners.iter().filter(|owner| mismatch(topic, *at, owner)).count()).sum()
}
