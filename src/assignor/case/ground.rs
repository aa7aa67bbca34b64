//! The group of a case: topics, members, and what follows from what they say they own. Plain data and JSON, no more: the native
//! tests of the assignors, which know nothing of this crate, include this file as well (`assignors/cases.rs`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Who gets which partitions of which topic.
pub type Shares = BTreeMap<String, BTreeMap<String, Vec<i32>>>;

/// A topic and a number. Number -1 is a connector itself.
pub type Spot<'a> = (&'a str, i32);

/// Topics and members.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    pub topics: BTreeMap<String, CaseTopic>,
    pub members: Vec<CaseMember>,
}

#[derive(Clone, Debug, Default)]
pub struct CaseTopic {
    pub partitions: u32,
    /// The racks of each partition's replicas.
    pub racks: Option<Vec<Vec<String>>>,
    pub loads: Option<Vec<u64>>,
    pub is_connector: bool,
}

#[derive(Clone, Debug, Default)]
pub struct CaseMember {
    pub id: String,
    pub instance_id: Option<String>,
    pub rack: Option<String>,
    pub topics: Vec<String>,
    pub owned: BTreeMap<String, Vec<i32>>,
    pub generation: i32,
    pub weight: Option<Value>,
}

impl CaseMember {
    /// Its rack; an empty name is none.
    pub fn rack(&self) -> Option<&str> {
        self.rack.as_deref().filter(|rack| !rack.is_empty())
    }

    pub fn reads(&self, topic: &str) -> bool {
        self.topics.iter().any(|name| name == topic)
    }
}

impl Ground {
    pub fn member(&self, id: &str) -> Option<&CaseMember> {
        self.members.iter().find(|member| member.id == id)
    }

    pub fn readers(&self, topic: &str) -> impl Iterator<Item = &CaseMember> {
        self.members.iter().filter(move |member| member.reads(topic))
    }

    /// All partitions of topics that somebody reads.
    pub fn partitions(&self) -> impl Iterator<Item = Spot<'_>> {
        let read: BTreeSet<&str> = self.members.iter().flat_map(|member| &member.topics).map(String::as_str).collect();
        let known = self.topics.iter().filter(move |(name, _)| read.contains(name.as_str()));
        known.flat_map(|(name, topic)| topic.numbers().map(move |number| (name.as_str(), number)))
    }

    /// Who says that it owns what, and in which generation; whether or not there is such a partition.
    pub fn claims(&self) -> BTreeMap<Spot<'_>, Vec<(&str, i32)>> {
        let mut claims: BTreeMap<Spot<'_>, Vec<(&str, i32)>> = BTreeMap::new();
        for member in &self.members {
            for (topic, numbers) in &member.owned {
                for &number in numbers {
                    claims.entry((topic, number)).or_default().push((&member.id, member.generation));
                }
            }
        }
        claims
    }

    /// The owner that a partition had: the only claimant of the highest generation among those who still read its topic.
    pub fn last_owners(&self) -> BTreeMap<Spot<'_>, &str> {
        let reads = |id: &str, topic: &str| self.member(id).is_some_and(|member| member.reads(topic));
        let exists = |at: Spot<'_>| self.topics.get(at.0).is_some_and(|topic| topic.numbers().contains(&at.1));
        let mut owners = BTreeMap::new();
        for (at, mut claims) in self.claims().into_iter().filter(|(at, _)| exists(*at)) {
            claims.retain(|(id, _)| reads(id, at.0));
            let newest = claims.iter().map(|claim| claim.1).max();
            let mut of_newest = claims.iter().filter(|claim| Some(claim.1) == newest);
            if let (Some((id, _)), None) = (of_newest.next(), of_newest.next()) {
                owners.insert(at, *id);
            }
        }
        owners
    }

    /// The generation of the newest claim.
    pub fn newest_generation(&self) -> i32 {
        self.members.iter().map(|member| member.generation).max().unwrap_or(-1)
    }

    /// The group after everybody has taken over its share.
    pub fn after(&self, shares: &Shares) -> Ground {
        let mut next = self.clone();
        let generation = self.newest_generation().saturating_add(1);
        for member in &mut next.members {
            member.owned = shares.get(&member.id).cloned().unwrap_or_default();
            member.generation = generation;
        }
        next
    }
}

impl CaseTopic {
    fn numbers(&self) -> std::ops::Range<i32> {
        -i32::from(self.is_connector)..self.partitions as i32
    }
}

/// Who owns each partition.
pub fn owners(shares: &Shares) -> BTreeMap<Spot<'_>, Vec<&str>> {
    let mut owners: BTreeMap<Spot<'_>, Vec<&str>> = BTreeMap::new();
    for (id, topics) in shares {
        for (topic, numbers) in topics {
            numbers.iter().for_each(|&number| owners.entry((topic, number)).or_default().push(id));
        }
    }
    owners
}
