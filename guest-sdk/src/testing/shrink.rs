//! From a group that shows something to the smallest one that still does: a greedy search that deletes one thing after another.

use std::collections::BTreeSet;

use super::{TestGroup, TestMember};

/// How often a smaller group is tried, unless somebody says otherwise: the groups of a law need a few hundred.
pub const TRIES: usize = 2_000;

/// Makes a group smaller as long as `shows` says so: members, topics, partitions, claims, facts, settings, names. At most `tries`
/// groups are tried. `with` puts each of them back into the kind of group that the strategy is for.
pub fn shrink(
    group: &TestGroup,
    tries: usize,
    with: &dyn Fn(TestGroup) -> TestGroup,
    shows: &mut dyn FnMut(&TestGroup) -> bool,
) -> TestGroup {
    let mut smallest = group.clone();
    let mut left = tries;
    // A pass in which nothing can be deleted is the last one.
    loop {
        let (mut at, mut progress) = (0, false);
        loop {
            let Some(deletion) = deletions(&smallest).nth(at) else { break };
            let smaller = with(deletion.of(&smallest));
            at += 1;
            if weight(&smaller) >= weight(&smallest) {
                continue;
            }
            if left == 0 {
                return smallest;
            }
            left -= 1;
            if shows(&smaller) {
                // What was tried before this one is tried again in the next pass.
                (smallest, progress, at) = (smaller, true, at - 1);
            }
        }
        if !progress {
            return smallest;
        }
    }
}

/// Something that a group can do without. Names are copied, so that a deletion outlives the group it was found in.
enum Deletion {
    Member(String),
    Topic(String),
    /// Of every topic the partitions from this one on: some laws are about topics of the same size.
    Tails(u32),
    /// All partitions from this one on.
    Tail(String, u32),
    Partition(String, u32),
    /// Partitions from one to before another: some groups show it with every second of them, and with none in between.
    Run(String, u32, u32),
    /// The same of every topic that has them.
    Runs(u32, u32),
    Subscription(String, String),
    Claims(String),
    Claim(String, usize),
    Fact(String, String),
    /// Of every member.
    Facts(String),
    Trait(String, fn(&mut TestMember)),
    Racks(String),
    RacksOf(String, usize),
    Rack(String, usize, usize),
    Setting(usize),
    Column(usize),
    Rest(fn(&mut TestGroup)),
    /// Two at once: some groups show it with an odd number of members alone.
    Members(String, String),
    Topics(String, String),
    /// The first stands for both: it reads and has what the other does.
    MergeMembers(String, String),
    /// The first grows by the other's partitions.
    MergeTopics(String, String),
}

/// So many neighbours are taken away at once where one alone is missed.
const LONGEST_RUN: u32 = 4;

/// Large things first, and last what needs many tries.
fn deletions(group: &TestGroup) -> impl Iterator<Item = Deletion> {
    let members = || group.members.values();
    let topics = || group.topics.iter();
    let traits: [fn(&mut TestMember); 4] = [
        |member| member.instance_id = None,
        |member| member.rack = None,
        |member| member.user_data = None,
        |member| member.client_id.clear(),
    ];
    let rest: [fn(&mut TestGroup); 6] = [
        |group| group.memo = None,
        |group| group.mode = crate::abi::Mode::Eager,
        |group| group.has_copies = false,
        |group| group.seed = 0,
        |group| group.generation = 1,
        |group| group.now_ms = 0,
    ];
    let most = topics().map(|(_, topic)| topic.partitions).max().unwrap_or(0);
    let facts: BTreeSet<&String> = members().flat_map(|member| member.facts.0.iter().map(|(name, _)| name)).collect();
    let runs = move |partitions: u32, shortest: u32| {
        let ends = move |from: u32| (from + shortest..=partitions.min(from + LONGEST_RUN)).rev();
        (0..partitions).flat_map(move |from| ends(from).map(move |to| (from, to)))
    };
    let several = group.topics.len() > 1;
    let halves = topics().filter(|(_, topic)| topic.partitions > 1);
    members()
        .map(|member| Deletion::Member(member.id.clone()))
        .chain(topics().map(|(name, _)| Deletion::Topic(name.clone())))
        .chain([most / 2, most.saturating_sub(1)].map(Deletion::Tails))
        .chain(halves.map(|(name, topic)| Deletion::Tail(name.clone(), topic.partitions / 2)))
        .chain(members().map(|member| Deletion::Claims(member.id.clone())))
        .chain(topics().map(|(name, _)| Deletion::Racks(name.clone())))
        .chain(facts.into_iter().map(|name| Deletion::Facts(name.clone())))
        .chain((0..group.config.0.len()).map(Deletion::Setting))
        .chain((0..group.columns.len()).map(Deletion::Column))
        .chain(topics().flat_map(|(name, topic)| {
            (0..topic.partitions).rev().map(move |number| Deletion::Partition(name.clone(), number))
        }))
        .chain(members().flat_map(|member| {
            member.topics.iter().map(|topic| Deletion::Subscription(member.id.clone(), topic.clone()))
        }))
        .chain(
            members().flat_map(|member| (0..member.owned.len()).map(|claim| Deletion::Claim(member.id.clone(), claim))),
        )
        .chain(
            members().flat_map(|member| {
                member.facts.0.iter().map(|(name, _)| Deletion::Fact(member.id.clone(), name.clone()))
            }),
        )
        .chain(
            members().flat_map(move |member| traits.into_iter().map(|drop| Deletion::Trait(member.id.clone(), drop))),
        )
        .chain(
            topics()
                .flat_map(|(name, topic)| (0..topic.racks.len()).map(move |at| Deletion::RacksOf(name.clone(), at))),
        )
        .chain(topics().flat_map(|(name, topic)| {
            let of = |(at, racks): (usize, &Vec<String>)| (0..racks.len()).map(move |rack| (at, rack));
            let all = topic.racks.iter().enumerate().flat_map(of);
            all.map(move |(at, rack)| Deletion::Rack(name.clone(), at, rack))
        }))
        .chain(rest.map(Deletion::Rest))
        .chain(topics().flat_map(move |(name, topic)| {
            runs(topic.partitions, 2).map(move |(from, to)| Deletion::Run(name.clone(), from, to))
        }))
        .chain(runs(most, 1).filter(move |_| several).map(|(from, to)| Deletion::Runs(from, to)))
        .chain(pairs(group.members.keys()).map(|(one, other)| Deletion::Members(one, other)))
        .chain(pairs(group.topics.keys()).map(|(one, other)| Deletion::Topics(one, other)))
        .chain(pairs(group.members.keys()).map(|(one, other)| Deletion::MergeMembers(one, other)))
        .chain(pairs(group.topics.keys()).map(|(one, other)| Deletion::MergeTopics(one, other)))
}

/// Each two of them, once.
fn pairs<'n>(names: impl Iterator<Item = &'n String> + Clone + 'n) -> impl Iterator<Item = (String, String)> + 'n {
    let with_later = |(at, one): (usize, &'n String)| (at + 1, one.clone());
    let later = names.clone();
    names
        .enumerate()
        .map(with_later)
        .flat_map(move |(from, one)| later.clone().skip(from).map(move |other| (one.clone(), other.clone())))
}

impl Deletion {
    fn of(self, group: &TestGroup) -> TestGroup {
        let mut smaller = group.clone();
        let member = |group: &mut TestGroup, id: &str, change: &dyn Fn(&mut TestMember)| {
            group.members.get_mut(id).into_iter().for_each(change);
        };
        match self {
            Deletion::Member(id) => drop(smaller.members.remove(&id)),
            Deletion::Topic(name) => drop_topic(&mut smaller, &name),
            Deletion::Tails(from) => {
                for (name, topic) in group.topics.iter().filter(|(_, topic)| topic.partitions > from) {
                    cut(&mut smaller, name, from, topic.partitions);
                }
            }
            Deletion::Tail(name, from) => {
                let partitions = smaller.topics.get(&name).map_or(0, |topic| topic.partitions);
                cut(&mut smaller, &name, from, partitions);
            }
            Deletion::Partition(name, number) => cut(&mut smaller, &name, number, number + 1),
            Deletion::Run(name, from, to) => cut(&mut smaller, &name, from, to),
            Deletion::Runs(from, to) => {
                for (name, topic) in group.topics.iter().filter(|(_, topic)| topic.partitions > from) {
                    cut(&mut smaller, name, from, to.min(topic.partitions));
                }
            }
            Deletion::Subscription(id, topic) => {
                member(&mut smaller, &id, &|one| one.topics.retain(|other| *other != topic))
            }
            Deletion::Claims(id) => member(&mut smaller, &id, &|one| one.owned.clear()),
            Deletion::Claim(id, at) => member(&mut smaller, &id, &|one| drop(one.owned.remove(at))),
            Deletion::Fact(id, name) => member(&mut smaller, &id, &|one| one.forget(&name)),
            Deletion::Facts(name) => smaller.members.values_mut().for_each(|one| one.forget(&name)),
            Deletion::Trait(id, remove) => member(&mut smaller, &id, &remove),
            Deletion::Racks(name) => {
                smaller.topics.get_mut(&name).into_iter().for_each(|topic| topic.racks.clear());
            }
            Deletion::RacksOf(name, at) => {
                smaller.topics.get_mut(&name).into_iter().for_each(|topic| topic.racks[at].clear());
            }
            Deletion::Rack(name, at, rack) => {
                smaller.topics.get_mut(&name).into_iter().for_each(|topic| drop(topic.racks[at].remove(rack)));
            }
            Deletion::Setting(at) => drop(smaller.config.0.remove(at)),
            Deletion::Column(at) => drop(smaller.columns.remove(at)),
            Deletion::Rest(drop) => drop(&mut smaller),
            Deletion::Members(one, other) => smaller.members.retain(|id, _| *id != one && *id != other),
            Deletion::Topics(one, other) => [one, other].iter().for_each(|name| drop_topic(&mut smaller, name)),
            Deletion::MergeMembers(one, other) => {
                if let Some(gone) = smaller.members.remove(&other) {
                    member(&mut smaller, &one, &|one| {
                        one.topics.extend(gone.topics.iter().cloned());
                        let further = gone.owned.iter().filter(|claim| !one.owned.contains(claim)).cloned();
                        let further: Vec<_> = further.collect();
                        one.owned.extend(further);
                    });
                }
            }
            Deletion::MergeTopics(one, other) => merge_topics(&mut smaller, &one, &other),
        }
        smaller
    }
}

fn drop_topic(group: &mut TestGroup, name: &str) {
    let partitions = group.topics.get(name).map_or(0, |topic| topic.partitions);
    cut(group, name, 0, partitions);
    group.topics.remove(name);
    for member in group.members.values_mut() {
        member.topics.remove(name);
        member.owned.retain(|(topic, _)| topic != name);
    }
}

/// Who reads the other reads both from now on. What is told of each partition would have to move with it: such groups stay.
fn merge_topics(group: &mut TestGroup, name: &str, other: &str) {
    let is_told = |name: &str| group.topics.get(name).is_none_or(|topic| !topic.racks.is_empty());
    if !group.columns.is_empty() || is_told(name) || is_told(other) {
        return;
    }
    let further = group.topics.remove(other).map_or(0, |topic| topic.partitions);
    let Some(topic) = group.topics.get_mut(name) else { return };
    let first = topic.partitions;
    topic.partitions += further;
    for member in group.members.values_mut() {
        if member.topics.remove(other) {
            member.topics.insert(name.to_owned());
        }
        for claim in member.owned.iter_mut().filter(|(topic, _)| topic == other) {
            *claim = (name.to_owned(), claim.1.saturating_add(first));
        }
    }
}

/// Takes partitions out of a topic, of its racks, of columns and of claims; later ones move up.
fn cut(group: &mut TestGroup, name: &str, from: u32, to: u32) {
    let all = group.partitions();
    let base: usize = group.topics.range(..name.to_owned()).map(|(_, topic)| topic.partitions as usize).sum();
    let Some(topic) = group.topics.get_mut(name) else { return };
    topic.partitions -= to - from;
    let racks = topic.racks.len();
    topic.racks.drain((from as usize).min(racks)..(to as usize).min(racks));
    for (_, column) in &mut group.columns {
        let width = column.len().checked_div(all).unwrap_or(0);
        let end = column.len();
        column.drain((width * (base + from as usize)).min(end)..(width * (base + to as usize)).min(end));
    }
    for member in group.members.values_mut() {
        member.owned.retain(|(topic, number)| topic != name || !(from..to).contains(number));
        for (_, number) in member.owned.iter_mut().filter(|(topic, number)| topic == name && *number >= to) {
            *number -= to - from;
        }
    }
}

/// How much there is to look at; what a deletion must make less.
fn weight(group: &TestGroup) -> usize {
    let of_member = |member: &TestMember| {
        let optional = [member.instance_id.is_some(), member.rack.is_some(), member.user_data.is_some()];
        let named = usize::from(!member.client_id.is_empty());
        let lists = member.topics.len() + member.owned.len() + member.facts.0.len();
        1 + lists + named + optional.into_iter().filter(|there| *there).count()
    };
    let members: usize = group.members.values().map(of_member).sum();
    let racks = group.topics.values().flat_map(|topic| &topic.racks);
    let racks: usize = racks.map(|racks| 1 + racks.len()).sum();
    let other = [
        group.memo.is_some(),
        group.mode == crate::abi::Mode::Cooperative,
        group.has_copies,
        group.seed != 0,
        group.generation != 1,
        group.now_ms != 0,
    ];
    let other = other.into_iter().filter(|there| *there).count();
    members + group.topics.len() + group.partitions() + racks + group.config.0.len() + group.columns.len() + other
}

#[cfg(test)]
mod tests;
