//! From a share to children: what each of them is to do, and how its environment says so. Pure.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use serde_json::json;

use super::limits::MAX_VARIABLE_BYTES;
use crate::client::{Assigned, Duty, Share};
use crate::ids::TopicName;

/// Every variable that a child may be told something in; those that it is not told are not inherited either.
pub(super) const VARIABLES: [&str; 12] = [
    "DIVVY_GROUP",
    "DIVVY_MEMBER",
    "DIVVY_GENERATION",
    "DIVVY_PROTOCOL",
    "DIVVY_PARTITIONS",
    "DIVVY_PARTITIONS_JSON",
    "DIVVY_PRIMARIES",
    "DIVVY_PRIMARIES_JSON",
    "DIVVY_TOPIC",
    "DIVVY_PARTITION",
    "DIVVY_PRIMARY",
    "DIVVY_EPOCH",
];

/// Partitions by topic, in order.
pub(super) type Partitions = Vec<(TopicName, Vec<i32>)>;

/// How a share becomes children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Division {
    /// One child has all of it.
    Whole,
    /// One child for each partition.
    Each,
    /// One child while this member is the active one.
    Writer,
}

/// What a child is for. There is never more than one for the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    /// The member's whole share.
    Member,
    /// One partition.
    Partition(TopicName, i32),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Member => f.write_str("child"),
            Key::Partition(topic, partition) => write!(f, "{topic}-{partition}"),
        }
    }
}

/// What a child has to do. A child whose work is the same in the next generation is not touched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Work {
    /// Partitions; none for a writer.
    pub(super) partitions: Partitions,
    /// Those of them whose first copy this is, where the strategy gives several.
    pub(super) primaries: Option<Partitions>,
}

/// One child that is to run.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// What for.
    pub(super) key: Key,
    /// What it has to do.
    pub(super) work: Work,
    /// How it is told.
    pub(super) environment: Arc<Vec<(&'static str, String)>>,
}

/// The children that a share asks for.
pub(super) fn orders(group: &str, assigned: &Assigned, division: Division) -> Vec<Order> {
    let (epoch, primaries) = (assigned.writer().map(|writer| writer.epoch), primaries(assigned));
    let primaries: Option<HashSet<_>> = primaries.as_ref().map(|primaries| one_by_one(primaries).collect());
    let order = |key: Key, partitions: Partitions| {
        let partitions = in_order(&partitions);
        let primaries = primaries.as_ref().map(|primaries| among(primaries, &partitions));
        let work = Work { partitions, primaries };
        let environment = Arc::new(environment(group, assigned, epoch, &key, &work));
        Order { key, work, environment }
    };
    match (division, &assigned.share) {
        (Division::Writer, _) => match assigned.duty() {
            Some(Duty::Active(_)) => vec![order(Key::Member, Vec::new())],
            _ => Vec::new(),
        },
        (_, Share::State(_)) => Vec::new(),
        (_, share) if share.is_nothing() => Vec::new(),
        (Division::Whole, Share::Partitions(all)) => vec![order(Key::Member, all.clone())],
        (Division::Each, Share::Partitions(all)) => {
            let each = |(topic, partition): (&TopicName, i32)| {
                let one = vec![(topic.clone(), vec![partition])];
                order(Key::Partition(topic.clone(), partition), one)
            };
            one_by_one(all).map(each).collect()
        }
    }
}

/// What of a share children are for.
pub(super) fn keys(share: &Share, division: Division) -> Vec<Key> {
    match (division, share) {
        (_, share) if share.is_nothing() => Vec::new(),
        (Division::Each, Share::Partitions(all)) => {
            one_by_one(all).map(|(topic, partition)| Key::Partition(topic.clone(), partition)).collect()
        }
        _ => vec![Key::Member],
    }
}

/// A share is a set: leaders write the same one in another order, and a child is not started anew for that.
fn in_order(partitions: &Partitions) -> Partitions {
    let mut by_topic: BTreeMap<TopicName, BTreeSet<i32>> = BTreeMap::new();
    for (topic, partition) in one_by_one(partitions) {
        by_topic.entry(topic.clone()).or_default().insert(partition);
    }
    by_topic.into_iter().map(|(topic, numbers)| (topic, numbers.into_iter().collect())).collect()
}

fn one_by_one(all: &Partitions) -> impl Iterator<Item = (&TopicName, i32)> {
    all.iter().flat_map(|(topic, numbers)| numbers.iter().map(move |number| (topic, *number)))
}

/// Of which partitions this member has the first copy, if its strategy says so.
fn primaries(assigned: &Assigned) -> Option<Partitions> {
    let named = assigned.primaries()?;
    Some(named.into_iter().map(|(topic, numbers)| (TopicName::from(topic), numbers)).collect())
}

/// Those of some partitions that are among others.
fn among(some: &HashSet<(&TopicName, i32)>, others: &Partitions) -> Partitions {
    let both = others.iter().filter_map(|(topic, numbers)| {
        let both: Vec<i32> = numbers.iter().copied().filter(|number| some.contains(&(topic, *number))).collect();
        (!both.is_empty()).then(|| (topic.clone(), both))
    });
    both.collect()
}

fn environment(
    group: &str,
    assigned: &Assigned,
    epoch: Option<i32>,
    key: &Key,
    work: &Work,
) -> Vec<(&'static str, String)> {
    let mut variables = vec![
        ("DIVVY_GROUP", group.to_owned()),
        ("DIVVY_MEMBER", assigned.member.to_string()),
        ("DIVVY_GENERATION", assigned.generation.to_string()),
        ("DIVVY_PROTOCOL", assigned.protocol.to_string()),
    ];
    if let Some(epoch) = epoch {
        variables.push(("DIVVY_EPOCH", epoch.to_string()));
    }
    if !work.partitions.is_empty() {
        variables.push(("DIVVY_PARTITIONS", listed(&work.partitions)));
        variables.push(("DIVVY_PARTITIONS_JSON", json_of(&work.partitions)));
    }
    if let Some(primaries) = &work.primaries {
        variables.push(("DIVVY_PRIMARIES", listed(primaries)));
        variables.push(("DIVVY_PRIMARIES_JSON", json_of(primaries)));
    }
    if let Key::Partition(topic, partition) = key {
        variables.push(("DIVVY_TOPIC", topic.to_string()));
        variables.push(("DIVVY_PARTITION", partition.to_string()));
        if let Some(primaries) = &work.primaries {
            variables.push(("DIVVY_PRIMARY", u8::from(!primaries.is_empty()).to_string()));
        }
    }
    variables
}

/// Why this environment cannot be handed to a process, if so.
pub(super) fn too_large(environment: &[(&'static str, String)]) -> Option<String> {
    let (name, value) = environment.iter().find(|(_, value)| value.len() > MAX_VARIABLE_BYTES)?;
    Some(format!(
        "{name} would have {} bytes, and an environment takes {MAX_VARIABLE_BYTES} in one variable: run more members, \
         or one child for each partition with --each",
        value.len()
    ))
}

/// `clicks:0,1;queries:2`
fn listed(partitions: &Partitions) -> String {
    let topic = |(topic, numbers): &(TopicName, Vec<i32>)| {
        let numbers: Vec<String> = numbers.iter().map(i32::to_string).collect();
        format!("{topic}:{}", numbers.join(","))
    };
    partitions.iter().map(topic).collect::<Vec<_>>().join(";")
}

fn json_of(partitions: &Partitions) -> String {
    let by_topic: BTreeMap<&str, &Vec<i32>> =
        partitions.iter().map(|(topic, numbers)| (topic.as_str(), numbers)).collect();
    json!(by_topic).to_string()
}

#[cfg(test)]
mod tests;
