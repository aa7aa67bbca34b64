//! Laws of one plan. Each says in a sentence by what it is broken.

use std::collections::{BTreeMap, BTreeSet};

use crate::testing::{TestGroup, TestMember, TestPlan};

pub(super) fn complete(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    owners_everywhere(group, plan, usize::from(plan.copies))
}

pub(super) fn copies(group: &TestGroup, plan: &TestPlan, copies: usize) -> Result<(), String> {
    owners_everywhere(group, plan, copies)?;
    disjoint(plan)
}

fn owners_everywhere(group: &TestGroup, plan: &TestPlan, copies: usize) -> Result<(), String> {
    for (name, topic) in &group.topics {
        let readers = readers(group, name).count();
        let expected = readers.min(copies);
        for partition in 0..topic.partitions {
            let owners = plan.owners_of(name, partition).len();
            if owners != expected {
                return Err(format!("{name}-{partition} has {owners} owners of {expected}"));
            }
        }
    }
    Ok(())
}

pub(super) fn disjoint(plan: &TestPlan) -> Result<(), String> {
    for ((topic, partition), owners) in &plan.owners {
        let distinct: BTreeSet<&String> = owners.iter().collect();
        if distinct.len() != owners.len() {
            return Err(format!("{topic}-{partition} goes to one member twice: {}", owners.join(", ")));
        }
    }
    Ok(())
}

pub(super) fn subscribed(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    for ((topic, partition), owners) in &plan.owners {
        if let Some(owner) = owners.iter().find(|owner| !reads(group, owner, topic)) {
            return Err(format!("{owner} does not read {topic}, yet gets {topic}-{partition}"));
        }
    }
    Ok(())
}

/// KIP-54's balance: no single partition can go to a member that would still have less than its owner has now.
pub(super) fn balanced(group: &TestGroup, plan: &TestPlan, most: usize) -> Result<(), String> {
    for ((topic, partition), owners) in &plan.owners {
        for owner in owners {
            let has = plan.size(owner);
            let taker = readers(group, topic)
                .filter(|reader| !owners.contains(&reader.id))
                .find(|reader| has > plan.size(&reader.id) + most);
            if let Some(TestMember { id, .. }) = taker {
                let could = plan.size(id);
                return Err(format!(
                    "{owner} has {has} partitions, {id} has {could}, and {id} could have {topic}-{partition}"
                ));
            }
        }
    }
    Ok(())
}

pub(super) fn balanced_by_topic(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    for name in group.topics.keys() {
        let sizes = || readers(group, name).map(|member| plan.of(&member.id, name).len());
        let (least, greatest) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        if greatest - least > 1 {
            return Err(format!("readers of {name} have {least} to {greatest} of its partitions"));
        }
    }
    Ok(())
}

pub(super) fn copartitioned(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    let readers = |topic: &str| -> Vec<&String> { readers(group, topic).map(|member| &member.id).collect() };
    for (one, first) in &group.topics {
        for (other, second) in group.topics.range(one.clone()..).skip(1) {
            if first.partitions == second.partitions && readers(one) == readers(other) {
                for partition in 0..first.partitions {
                    let (a, b) = (plan.owners_of(one, partition), plan.owners_of(other, partition));
                    if a != b {
                        let (a, b) = (a.join(", "), b.join(", "));
                        return Err(format!("partition {partition} of {one} goes to {a}, that of {other} to {b}"));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Looks for a move that one exchange, or taking it back, would have saved.
pub(super) fn sticky(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    let before = group.owners_before();
    let had = |id: &str, topic: &str, partition: u32| {
        before.get(&(topic, partition)).is_some_and(|holders| holders.contains(&id))
    };
    // What each member gets that it did not have.
    let mut gets: BTreeMap<&str, Vec<(&str, u32)>> = BTreeMap::new();
    for ((topic, partition), owners) in &plan.owners {
        for owner in owners.iter().filter(|owner| !had(owner, topic, *partition)) {
            gets.entry(owner).or_default().push((topic, *partition));
        }
    }
    for (&(topic, partition), holders) in &before {
        let owners = plan.owners_of(topic, partition);
        let lost = |holder: &&&str| !owners.iter().any(|owner| owner == **holder);
        for from in holders.iter().filter(lost) {
            for to in owners.iter().filter(|owner| !had(owner, topic, partition)) {
                let instead =
                    gets.get(from).into_iter().flatten().find(|(other, number)| {
                        reads(group, to, other) && !plan.owners_of(other, *number).contains(to)
                    });
                if let Some((other, number)) = instead {
                    return Err(format!(
                        "{topic}-{partition} moves from {from} to {to} while {from} gets {other}-{number}, which {to} could \
                         have taken"
                    ));
                }
                let (has, got) = (plan.size(from), plan.size(to));
                if has < got {
                    return Err(format!(
                        "{topic}-{partition} moves from {from} to {to} for nothing: they have {has} and {got} partitions after it"
                    ));
                }
            }
        }
    }
    Ok(())
}

pub(super) fn racks(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    match plan.copies {
        0 | 1 => near(group, plan),
        _ => apart(group, plan),
    }
}

/// One copy: no partition is far from its owner that another could have near without costing evenness.
fn near(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    let far = |id: &str, topic: &str, partition: u32| usize::from(is_far(group, id, topic, partition));
    let owned =
        || plan.owners.iter().filter_map(|((topic, partition), owners)| Some((topic, *partition, owners.first()?)));
    for (topic, partition, owner) in owned().filter(|(topic, partition, owner)| is_far(group, owner, topic, *partition))
    {
        let near = |id: &str| reads(group, id, topic) && is_near(group, id, topic, partition);
        if let Some(reader) = group.members.keys().find(|id| near(id) && plan.size(id) < plan.size(owner)) {
            return Err(format!(
                "{topic}-{partition} is far from {owner}; {reader} is in one of its racks and has fewer partitions"
            ));
        }
        let swap = owned().find(|(other, number, reader)| {
            let after = far(owner, other, *number);
            let before = 1 + far(reader, other, *number);
            *reader != owner && near(reader) && reads(group, owner, other) && after < before
        });
        if let Some((other, number, reader)) = swap {
            return Err(format!(
                "{topic}-{partition} is far from {owner}; {reader} is in one of its racks and could swap {other}-{number} for it"
            ));
        }
    }
    Ok(())
}

/// Several copies: apart.
fn apart(group: &TestGroup, plan: &TestPlan) -> Result<(), String> {
    for ((topic, partition), owners) in &plan.owners {
        // Who says no rack counts as in one of its own.
        let rack = |id: &'_ String| {
            group.members.get(id).and_then(|member| member.rack.clone()).unwrap_or_else(|| format!("/{id}"))
        };
        let of_owners: BTreeSet<String> = owners.iter().map(rack).collect();
        let of_readers: BTreeSet<String> = readers(group, topic).map(|member| rack(&member.id)).collect();
        let expected = of_readers.len().min(owners.len());
        if of_owners.len() < expected {
            let (of_owners, owners) = (of_owners.len(), owners.join(", "));
            return Err(format!("the copies of {topic}-{partition} ({owners}) are in {of_owners} racks of {expected}"));
        }
    }
    Ok(())
}

/// How many partitions went to a member whose rack holds no replica of them.
pub fn rack_mismatches(group: &TestGroup, plan: &TestPlan) -> usize {
    let owners = plan.owners.iter();
    owners.map(|((topic, at), owners)| owners.iter().filter(|owner| is_far(group, owner, topic, *at)).count()).sum()
}

/// The member says its rack, and it is none of the partition's.
fn is_far(group: &TestGroup, id: &str, topic: &str, partition: u32) -> bool {
    let says = group.members.get(id).is_some_and(|member| member.rack.is_some());
    says && !is_near(group, id, topic, partition)
}

fn is_near(group: &TestGroup, id: &str, topic: &str, partition: u32) -> bool {
    let racks = group.topics.get(topic).and_then(|topic| topic.racks.get(partition as usize));
    let rack = group.members.get(id).and_then(|member| member.rack.as_ref());
    racks.zip(rack).is_some_and(|(racks, rack)| racks.contains(rack))
}

fn readers<'g>(group: &'g TestGroup, topic: &str) -> impl Iterator<Item = &'g TestMember> {
    group.members.values().filter(move |member| member.topics.contains(topic))
}

fn reads(group: &TestGroup, id: &str, topic: &str) -> bool {
    group.members.get(id).is_some_and(|member| member.topics.contains(topic))
}
