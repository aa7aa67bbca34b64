//! What can be said of an outcome without saying it all: properties by name. Included by the native tests of the assignors, too.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, from_value, json};

use super::ground::{Ground, Shares, Spot, owners};

/// All of them.
pub const NAMES: [&str; 27] = [
    "all_assigned",
    "balanced_single_move",
    "copartitioned",
    "copies",
    "distinct_racks",
    "keeps",
    "load_max",
    "max_minus_min",
    "missing_only_claimed",
    "moved",
    "moved_max",
    "must_not_have",
    "no_overlap_with_revoked",
    "not_both_own",
    "per_topic_max_minus_min",
    "per_topic_sizes",
    "rack_mismatches",
    "rack_mismatches_max",
    ROUNDS_MAX,
    "single_owner",
    "sizes",
    "sizes_multiset",
    "spread_max_minus_min",
    "stable",
    "subset_of_owned",
    "unassigned",
    "withheld_count",
];

/// The one that is not about an outcome, but about the rounds that lead to it.
pub const ROUNDS_MAX: &str = "rounds_max";

/// Properties by name.
pub type Props = BTreeMap<String, Value>;

/// Holds an outcome against properties; the error says which of them is broken, and by what.
pub fn check(ground: &Ground, props: &Props, shares: &Shares) -> Result<(), String> {
    let outcome = Outcome::new(ground, props, shares);
    props.iter().filter(|(name, _)| *name != ROUNDS_MAX).try_for_each(|(name, wanted)| outcome.check(name, wanted))
}

/// A property's value as what it has to be.
pub fn number(name: &str, wanted: &Value) -> Result<usize, String> {
    let read = wanted.as_u64().and_then(|number| usize::try_from(number).ok());
    read.ok_or_else(|| format!("{name} is {wanted}: write a number from 0"))
}

type ByTopic = BTreeMap<String, Vec<i32>>;

struct Outcome<'a> {
    ground: &'a Ground,
    props: &'a Props,
    shares: &'a Shares,
    owners: BTreeMap<Spot<'a>, Vec<&'a str>>,
    last: BTreeMap<Spot<'a>, &'a str>,
    claims: BTreeMap<Spot<'a>, Vec<(&'a str, i32)>>,
    sizes: BTreeMap<&'a str, usize>,
}

impl<'a> Outcome<'a> {
    fn new(ground: &'a Ground, props: &'a Props, shares: &'a Shares) -> Self {
        let size = |id: &str| shares.get(id).map_or(0, |topics| topics.values().map(Vec::len).sum());
        let sizes = ground.members.iter().map(|member| (member.id.as_str(), size(&member.id))).collect();
        let (last, claims) = (ground.last_owners(), ground.claims());
        Self { ground, props, shares, owners: owners(shares), last, claims, sizes }
    }

    fn check(&self, name: &str, wanted: &Value) -> Result<(), String> {
        let count = || number(name, wanted);
        let most = |what: &str, got: usize| at_most(name, what, got, count()?);
        let exactly = |what: &str, got: usize| match count()? {
            wanted if wanted == got => Ok(()),
            wanted => Err(format!("{name}: {got} {what}, expected {wanted}")),
        };
        match name {
            "all_assigned" => self.whenever(name, wanted, Self::all_assigned),
            "balanced_single_move" => self.whenever(name, wanted, Self::balanced_single_move),
            "copartitioned" => {
                self.copartitioned(typed(name, wanted, r#"lists of topics, such as [["t", "u"]]"#, from_value)?)
            }
            "copies" => self.copies(count()?),
            "distinct_racks" => self.whenever(name, wanted, Self::distinct_racks),
            "keeps" => self.keeps(&partitions_of(name, wanted)?),
            "load_max" => self.load_max(&typed(name, wanted, r#"a load by member, such as {"a": 7}"#, from_value)?),
            "max_minus_min" => most("between the sizes of two members", spread(self.sizes.values().copied())),
            "missing_only_claimed" => self.whenever(name, wanted, Self::missing_only_claimed),
            "moved" => exactly("partitions moved", self.moved()),
            "moved_max" => most("partitions moved", self.moved()),
            "must_not_have" => self.must_not_have(&partitions_of(name, wanted)?),
            "no_overlap_with_revoked" => self.whenever(name, wanted, Self::no_overlap),
            "not_both_own" => self.not_both_own(typed(name, wanted, r#"[["a", "b", "t", 0]]"#, from_value)?),
            "per_topic_max_minus_min" => self.spread_by_topic(count()?),
            "per_topic_sizes" => {
                self.sizes_by_topic(&typed(name, wanted, r#"sizes, such as {"t": {"a": 2}}"#, from_value)?)
            }
            "rack_mismatches" => exactly("partitions are in another rack", self.rack_mismatches()),
            "rack_mismatches_max" => most("partitions are in another rack", self.rack_mismatches()),
            "single_owner" => self.whenever(name, wanted, Self::single_owner),
            "sizes" => self.sizes_are(&typed(name, wanted, r#"sizes by member, such as {"a": 2}"#, from_value)?),
            "sizes_multiset" => self.sizes_in_any_order(typed(name, wanted, "sizes, such as [1, 2]", from_value)?),
            "spread_max_minus_min" => most("between the copies of two members", spread(self.sizes.values().copied())),
            "stable" => self.whenever(name, wanted, Self::stable),
            "subset_of_owned" => self.subset_of_owned(typed(name, wanted, r#"members, such as ["a"]"#, from_value)?),
            "unassigned" => {
                self.unassigned(&typed(name, wanted, r#"partitions by topic, such as {"t": [0]}"#, from_value)?)
            }
            "withheld_count" => exactly("partitions are withheld", self.missing().count()),
            _ => Err(format!("the property {name:?} is not known to this version: it cannot be checked")),
        }
    }

    /// A property that is true or false; false claims nothing.
    fn whenever(&self, name: &str, wanted: &Value, holds: fn(&Self) -> Result<(), String>) -> Result<(), String> {
        match wanted.as_bool() {
            Some(true) => holds(self).map_err(|broken| format!("{name}: {broken}")),
            Some(false) => Ok(()),
            None => Err(format!("{name} is {wanted}: write true or false")),
        }
    }

    fn has(&self, id: &str, at: Spot<'_>) -> bool {
        self.owners_of(at).contains(&id)
    }

    fn owners_of<'s>(&'s self, at: Spot<'s>) -> &'s [&'s str] {
        self.owners.get(&at).map_or(&[], Vec::as_slice)
    }

    fn missing(&self) -> impl Iterator<Item = Spot<'_>> {
        self.ground.partitions().filter(|at| !self.owners.contains_key(at))
    }

    fn moved(&self) -> usize {
        let stays = |(at, id): &(&Spot<'_>, &&str)| self.owners.get(*at).is_none_or(|owners| owners.contains(id));
        self.last.iter().filter(|last| !stays(last)).count()
    }

    fn all_assigned(&self) -> Result<(), String> {
        let excused = |at: Spot<'_>| {
            let numbers = self.props.get("unassigned").and_then(|topics| topics.get(at.0)?.as_array());
            numbers.is_some_and(|numbers| numbers.contains(&json!(at.1)))
        };
        match self.missing().find(|at| !excused(*at)) {
            Some(at) => Err(format!("{} has no owner", shown(at))),
            None => Ok(()),
        }
    }

    /// KIP-54: of two members whose sizes differ by two or more, the larger has nothing that the smaller could take.
    fn balanced_single_move(&self) -> Result<(), String> {
        for (&at, owners) in &self.owners {
            for owner in owners {
                let could = |id: &str| !owners.contains(&id) && self.size(owner) >= self.size(id) + 2;
                if let Some(taker) = self.ground.readers(at.0).find(|member| could(&member.id)) {
                    return Err(format!("{} could move from {owner:?} to {:?}", shown(at), taker.id));
                }
            }
        }
        Ok(())
    }

    fn size(&self, id: &str) -> usize {
        self.sizes.get(id).copied().unwrap_or(0)
    }

    fn copartitioned(&self, sets: Vec<Vec<String>>) -> Result<(), String> {
        let topic = |name: &String| self.ground.topics.get(name).ok_or_else(|| format!("there is no topic {name:?}"));
        for topics in &sets {
            let (Some(first), counts) = (topics.first(), topics.iter().map(|name| Ok(topic(name)?.partitions))) else {
                continue;
            };
            let most = counts.collect::<Result<Vec<_>, String>>()?.into_iter().min().unwrap_or(0) as i32;
            let of_first = |number: i32| self.owners_of((first, number));
            let torn = |number: &i32| topics.iter().any(|name| self.owners_of((name, *number)) != of_first(*number));
            if let Some(number) = (0..most).find(torn) {
                return Err(format!("copartitioned: partition {number} of {} has several owners", topics.join(", ")));
            }
        }
        Ok(())
    }

    fn copies(&self, copies: usize) -> Result<(), String> {
        for at in self.ground.partitions() {
            let wanted = copies.min(self.ground.readers(at.0).count());
            let got = self.owners.get(&at).map_or(0, Vec::len);
            if got != wanted {
                return Err(format!("copies: {} has {got}, expected {wanted}", shown(at)));
            }
        }
        Ok(())
    }

    fn distinct_racks(&self) -> Result<(), String> {
        for (&at, owners) in &self.owners {
            let mut racks = BTreeSet::new();
            let mut of_owners = owners.iter().filter_map(|id| self.ground.member(id)?.rack());
            if let Some(twice) = of_owners.find(|rack| !racks.insert(*rack)) {
                return Err(format!("{} has two copies in rack {twice:?}", shown(at)));
            }
        }
        Ok(())
    }

    fn keeps(&self, wanted: &Shares) -> Result<(), String> {
        match each(wanted).find(|(id, at)| !self.has(id, *at)) {
            Some((id, at)) => Err(format!("keeps: {id:?} has lost {}", shown(at))),
            None => Ok(()),
        }
    }

    fn must_not_have(&self, wanted: &Shares) -> Result<(), String> {
        match each(wanted).find(|(id, at)| self.has(id, *at)) {
            Some((id, at)) => Err(format!("must_not_have: {id:?} has {}", shown(at))),
            None => Ok(()),
        }
    }

    fn not_both_own(&self, wanted: Vec<(String, String, String, i32)>) -> Result<(), String> {
        match wanted.iter().find(|(a, b, topic, number)| [a, b].iter().all(|id| self.has(id, (topic, *number)))) {
            Some((a, b, topic, number)) => {
                Err(format!("not_both_own: both {a:?} and {b:?} have {}", shown((topic, *number))))
            }
            None => Ok(()),
        }
    }

    fn load_max(&self, wanted: &BTreeMap<String, u64>) -> Result<(), String> {
        let load_of = |(topic, number): Spot<'_>| {
            let loads = self.ground.topics.get(topic).and_then(|topic| topic.loads.as_ref());
            loads.map_or(1, |loads| usize::try_from(number).ok().and_then(|at| loads.get(at)).copied().unwrap_or(0))
        };
        for (id, &most) in wanted {
            let load: u64 = self.owners.keys().filter(|at| self.has(id, **at)).map(|at| load_of(*at)).sum();
            if load > most {
                return Err(format!("load_max: {id:?} has a load of {load}, expected at most {most}"));
            }
        }
        Ok(())
    }

    fn missing_only_claimed(&self) -> Result<(), String> {
        match self.missing().find(|at| !self.claims.contains_key(at)) {
            Some(at) => Err(format!("{} is withheld although nobody claims it", shown(at))),
            None => Ok(()),
        }
    }

    /// Nothing is given to one while another may still be running it; an older claim is of what was given up since.
    fn no_overlap(&self) -> Result<(), String> {
        for (&at, owners) in &self.owners {
            let claims = self.claims.get(&at).map_or(&[][..], Vec::as_slice);
            let newest = claims.iter().map(|claim| claim.1).max();
            let holds = |id: &str| claims.iter().any(|claim| claim.0 == id && Some(claim.1) == newest);
            let Some(early) = owners.iter().find(|id| !holds(id)) else { continue };
            if let Some((holder, _)) = claims.iter().find(|claim| claim.0 != *early) {
                return Err(format!("{} goes to {early:?} while {holder:?} must give it up", shown(at)));
            }
        }
        Ok(())
    }

    fn sizes_of(&self, topic: &str) -> impl Iterator<Item = (&str, usize)> {
        let size = move |id: &str| self.shares.get(id).and_then(|topics| topics.get(topic)).map_or(0, Vec::len);
        self.ground.readers(topic).map(move |member| (member.id.as_str(), size(&member.id)))
    }

    fn spread_by_topic(&self, most: usize) -> Result<(), String> {
        self.ground.topics.keys().try_for_each(|topic| {
            let got = spread(self.sizes_of(topic).map(|(_, size)| size));
            at_most("per_topic_max_minus_min", &format!("between the readers of {topic:?}"), got, most)
        })
    }

    fn sizes_by_topic(&self, wanted: &BTreeMap<String, BTreeMap<String, usize>>) -> Result<(), String> {
        for (topic, sizes) in wanted {
            let got: BTreeMap<&str, usize> = self.sizes_of(topic).collect();
            for (id, &size) in sizes {
                let got = got.get(id.as_str()).copied().unwrap_or(0);
                if got != size {
                    return Err(format!("per_topic_sizes: {id:?} has {got} of {topic:?}, expected {size}"));
                }
            }
        }
        Ok(())
    }

    fn rack_mismatches(&self) -> usize {
        let remote = |(topic, number): Spot<'_>, id: &str| {
            let topic = self.ground.topics.get(topic);
            let racks = topic.and_then(|topic| topic.racks.as_ref()?.get(usize::try_from(number).ok()?));
            let rack = self.ground.member(id).and_then(|member| member.rack());
            rack.is_some_and(|rack| !racks.is_some_and(|racks| racks.iter().any(|it| it == rack)))
        };
        self.owners.iter().flat_map(|(at, owners)| owners.iter().filter(|id| remote(*at, id))).count()
    }

    fn single_owner(&self) -> Result<(), String> {
        let busy: Vec<&str> = self.sizes.iter().filter(|(_, size)| **size > 0).map(|(id, _)| *id).collect();
        if busy.len() > 1 { Err(format!("{} have work", busy.join(", "))) } else { Ok(()) }
    }

    fn sizes_are(&self, wanted: &BTreeMap<String, usize>) -> Result<(), String> {
        match wanted.iter().find(|(id, size)| self.size(id) != **size) {
            Some((id, size)) => Err(format!("sizes: {id:?} has {}, expected {size}", self.size(id))),
            None => Ok(()),
        }
    }

    fn sizes_in_any_order(&self, mut wanted: Vec<usize>) -> Result<(), String> {
        let mut got: Vec<usize> = self.sizes.values().copied().collect();
        got.sort_unstable();
        wanted.sort_unstable();
        if got == wanted { Ok(()) } else { Err(format!("sizes_multiset: {got:?}, expected {wanted:?}")) }
    }

    fn stable(&self) -> Result<(), String> {
        match self.last.iter().find(|(at, id)| !self.has(id, **at)) {
            Some((at, id)) => Err(format!("{} has left {id:?}", shown(*at))),
            None => Ok(()),
        }
    }

    fn subset_of_owned(&self, wanted: Vec<String>) -> Result<(), String> {
        for id in &wanted {
            let owned = |(topic, number): Spot<'_>| {
                let owned = self.ground.member(id).and_then(|member| member.owned.get(topic));
                owned.is_some_and(|owned| owned.contains(&number))
            };
            if let Some(at) = self.owners.keys().find(|at| self.has(id, **at) && !owned(**at)) {
                return Err(format!("subset_of_owned: {id:?} has {}, which it did not own", shown(*at)));
            }
        }
        Ok(())
    }

    fn unassigned(&self, wanted: &ByTopic) -> Result<(), String> {
        let spots =
            wanted.iter().flat_map(|(topic, numbers)| numbers.iter().map(move |number| (topic.as_str(), *number)));
        match spots.into_iter().find(|at| self.owners.contains_key(at)) {
            Some(at) => Err(format!("unassigned: {} has an owner", shown(at))),
            None => Ok(()),
        }
    }
}

fn shown((topic, number): Spot<'_>) -> String {
    format!("partition {number} of {topic:?}")
}

fn spread(sizes: impl Iterator<Item = usize>) -> usize {
    let sizes: Vec<usize> = sizes.collect();
    sizes.iter().max().zip(sizes.iter().min()).map_or(0, |(most, least)| most - least)
}

fn at_most(name: &str, what: &str, got: usize, most: usize) -> Result<(), String> {
    if got <= most { Ok(()) } else { Err(format!("{name}: {got} {what}, expected at most {most}")) }
}

fn each(shares: &Shares) -> impl Iterator<Item = (&str, Spot<'_>)> {
    shares.iter().flat_map(|(id, topics)| {
        let spots =
            topics.iter().flat_map(|(topic, numbers)| numbers.iter().map(move |number| (topic.as_str(), *number)));
        spots.map(move |at| (id.as_str(), at))
    })
}

fn partitions_of(name: &str, wanted: &Value) -> Result<Shares, String> {
    typed(name, wanted, r#"partitions by member and topic, such as {"a": {"t": [0]}}"#, from_value)
}

/// A property's value as a type; `read` is `from_value`, whose bound has no name without serde itself.
fn typed<T>(name: &str, wanted: &Value, remedy: &str, read: fn(Value) -> serde_json::Result<T>) -> Result<T, String> {
    read(wanted.clone()).map_err(|_| format!("{name} is {wanted}: write {remedy}"))
}
