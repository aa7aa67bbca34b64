//! A group in a few lines.

use std::collections::{BTreeMap, BTreeSet};

use super::TestPlan;
use super::entry::{Entries, Entry};
use crate::abi::{Mode, UNKNOWN_LAG, names};

/// A group to make plans for. Topics and members may be added in any order.
#[derive(Clone, Debug, Default)]
pub struct TestGroup {
    pub(super) topics: BTreeMap<String, TestTopic>,
    pub(super) members: BTreeMap<String, TestMember>,
    pub(super) config: Entries,
    pub(super) columns: Vec<(String, Vec<u8>)>,
    pub(super) mode: Mode,
    pub(super) generation: i32,
    pub(super) seed: u64,
    pub(super) now_ms: i64,
    pub(super) memo: Option<Vec<u8>>,
    pub(super) has_copies: bool,
    /// In which order everything is said that has no order.
    pub(super) shuffle: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct TestTopic {
    pub(super) partitions: u32,
    /// For each partition the racks of its replicas; empty when the topic has no racks.
    pub(super) racks: Vec<Vec<String>>,
}

/// A member of a [`TestGroup`].
#[derive(Clone, Debug, Default)]
pub struct TestMember {
    pub(super) id: String,
    pub(super) rack: Option<String>,
    pub(super) topics: BTreeSet<String>,
    pub(super) instance_id: Option<String>,
    pub(super) client_id: String,
    pub(super) user_data: Option<Vec<u8>>,
    pub(super) facts: Entries,
    /// Facts that it does not tell although it might: none of those that everybody tells.
    pub(super) untold: BTreeSet<String>,
    pub(super) owned: Vec<(String, u32)>,
}

impl TestMember {
    /// A member that subscribes to nothing yet.
    pub fn new(id: impl Into<String>) -> Self {
        TestMember { id: id.into(), ..TestMember::default() }
    }

    /// Subscribes to topics.
    pub fn reads<T: Into<String>>(mut self, topics: impl IntoIterator<Item = T>) -> Self {
        self.topics.extend(topics.into_iter().map(Into::into));
        self
    }

    /// Makes it static.
    pub fn instance_id(mut self, instance_id: impl Into<String>) -> Self {
        self.instance_id = Some(instance_id.into());
        self
    }

    /// Sets its client id.
    pub fn client_id(mut self, client_id: impl Into<String>) -> Self {
        self.client_id = client_id.into();
        self
    }

    /// Sets its rack; an empty name is none.
    pub fn rack(mut self, rack: impl Into<String>) -> Self {
        self.rack = Some(rack.into()).filter(|rack| !rack.is_empty());
        self
    }

    /// Tells a fact about it; one of the same name is replaced.
    pub fn fact(mut self, name: &str, value: impl Into<Entry>) -> Self {
        self.facts.set(name, value.into());
        self
    }

    /// Takes a fact away, also from [`TestGroup::some_facts`].
    pub(super) fn forget(&mut self, name: &str) {
        self.facts.0.retain(|(other, _)| other != name);
        self.untold.insert(name.to_owned());
    }

    /// Sets the user data of its metadata.
    pub fn user_data(mut self, data: impl Into<Vec<u8>>) -> Self {
        self.user_data = Some(data.into());
        self
    }

    /// Says that it had partitions of a topic last. A strategy is told so while the member reads the topic.
    pub fn owned(mut self, topic: &str, partitions: impl IntoIterator<Item = u32>) -> Self {
        self.owned.extend(partitions.into_iter().map(|partition| (topic.to_owned(), partition)));
        self
    }
}

impl TestGroup {
    /// An empty group in its first generation.
    pub fn new() -> Self {
        TestGroup { generation: 1, ..TestGroup::default() }
    }

    /// Adds a topic.
    pub fn topic(mut self, name: impl Into<String>, partitions: u32) -> Self {
        self.topics.insert(name.into(), TestTopic { partitions, racks: Vec::new() });
        self
    }

    /// Adds a topic by the racks of each partition's replicas.
    pub fn topic_with_racks<R: Into<String>>(mut self, name: impl Into<String>, racks: Vec<Vec<R>>) -> Self {
        let racks: Vec<Vec<String>> = racks.into_iter().map(|of| of.into_iter().map(Into::into).collect()).collect();
        self.topics.insert(name.into(), TestTopic { partitions: racks.len() as u32, racks });
        self
    }

    /// Adds a member; one with the same id is replaced.
    pub fn member(mut self, member: TestMember) -> Self {
        self.members.insert(member.id.clone(), member);
        self
    }

    /// Removes a member.
    pub fn without_member(mut self, id: &str) -> Self {
        self.members.remove(id);
        self
    }

    /// Adds members `m-00`, `m-01`, … that subscribe to all topics that were added before.
    pub fn members(mut self, count: usize) -> Self {
        for number in 0..count {
            let member = TestMember::new(format!("m-{number:02}")).reads(self.topics.keys().cloned());
            self = self.member(member);
        }
        self
    }

    /// Sets a value of the configuration; one of the same name is replaced.
    pub fn config(mut self, name: &str, value: impl Into<Entry>) -> Self {
        self.config.set(name, value.into());
        self
    }

    /// Adds a column: the same number of bytes for each partition, topics by name; one of the same name is replaced.
    pub fn column(mut self, name: &str, bytes: Vec<u8>) -> Self {
        self.columns.retain(|(other, _)| other != name);
        self.columns.push((name.to_owned(), bytes));
        self
    }

    /// Adds the column `lag`: a number for each partition, topics by name; none where nobody knows.
    pub fn lags(self, lags: impl IntoIterator<Item = Option<u64>>) -> Self {
        let bytes = lags.into_iter().flat_map(|lag| lag.unwrap_or(UNKNOWN_LAG).to_le_bytes());
        self.column(names::LAG, bytes.collect())
    }

    /// Makes its protocol cooperative.
    pub fn cooperative(mut self) -> Self {
        self.mode = Mode::Cooperative;
        self
    }

    /// Sets the generation.
    pub fn generation(mut self, generation: i32) -> Self {
        self.generation = generation;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the wall clock.
    pub fn now_ms(mut self, now_ms: i64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// Lets a partition have several owners before, as those of a plan with copies: each claim counts.
    pub fn copies(mut self) -> Self {
        self.has_copies = true;
        self
    }

    /// The same group, with everything in another order that has none in a request: settings, facts, columns. One seed, one order;
    /// 0 is the order in which it was said.
    pub fn shuffled(mut self, seed: u64) -> Self {
        self.shuffle = seed;
        self
    }

    /// Lets every member subscribe to every topic.
    pub fn all_read_everything(mut self) -> Self {
        let all: BTreeSet<String> = self.topics.keys().cloned().collect();
        self.members.values_mut().for_each(|member| member.topics.clone_from(&all));
        self
    }

    /// Tells a fact about every member, by its id.
    pub fn facts<E: Into<Entry>>(mut self, name: &str, value: impl Fn(&str) -> E) -> Self {
        self.members.values_mut().for_each(|member| member.facts.set(name, value(&member.id).into()));
        self
    }

    /// The same for a fact that not everybody tells: in a smaller group maybe nobody does.
    pub fn some_facts(mut self, name: &str, value: impl Fn(&str) -> Option<Entry>) -> Self {
        for member in self.members.values_mut().filter(|member| !member.untold.contains(name)) {
            if let Some(value) = value(&member.id) {
                member.facts.set(name, value);
            }
        }
        self
    }

    /// The group in its next generation, when everybody has what a plan gave it.
    pub fn after(&self, plan: &TestPlan) -> Self {
        let mut next = self.clone().generation(self.generation.saturating_add(1)).seed(self.seed.wrapping_add(1));
        for (id, member) in &mut next.members {
            let topics = plan.members.get(id).into_iter().flatten();
            member.owned =
                topics.flat_map(|(topic, of)| of.iter().map(|partition| (topic.clone(), *partition))).collect();
        }
        next.memo.clone_from(&plan.memo);
        next.has_copies = plan.copies > 1;
        next
    }

    /// Sets what the last plan asked to be remembered.
    pub fn memo(mut self, memo: impl Into<Vec<u8>>) -> Self {
        self.memo = Some(memo.into());
        self
    }
}
