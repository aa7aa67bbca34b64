//! What can happen to a group: who is there at the beginning, and the steps of its life.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::embedded::user_data::{Facts, RACK, rack_of};
use crate::ids::TopicName;
use crate::topics::{Rack, Topic, TopicTable};

/// What a member reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Every topic that there is, also those to come.
    All,
    /// These.
    These(Vec<TopicName>),
}

/// A member as it joins.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// The name that people know it by.
    pub name: String,
    /// Whether it has a lasting name (`group.instance.id`), so that it may be away for a session.
    pub is_static: bool,
    /// What it reads.
    pub reads: Reads,
    /// What it says of itself.
    pub facts: Facts,
    /// What it has already, where the start is a group that runs.
    pub has: Vec<(TopicName, Vec<i32>)>,
}

impl Spec {
    /// A member that reads everything and says nothing.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_static: false, reads: Reads::All, facts: Facts::new(), has: Vec::new() }
    }

    /// The same with a fact.
    #[must_use]
    pub fn with(mut self, fact: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(fact.to_owned(), value.into());
        self
    }

    /// Where it stands.
    pub fn rack(&self) -> Option<&str> {
        rack_of(&self.facts)
    }
}

/// The group before its first step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Start {
    /// Its topics.
    pub topics: TopicTable,
    /// Its members.
    pub members: Vec<Spec>,
}

/// One thing that happens.
#[derive(Clone, PartialEq, Debug)]
pub enum Happening {
    /// A new member comes.
    Join(Spec),
    /// A member finishes, hands over and goes.
    Leave(String),
    /// A process is gone without a word; back after so long, if at all.
    Crash(String, Option<u64>),
    /// Somebody who left or crashed comes back.
    Back(String),
    /// A member is stopped in good order and started again, so much later.
    Restart(String, Option<u64>),
    /// All members are, one after the other.
    RollingRestart(Option<u64>),
    /// A topic has so many partitions now.
    Partitions(TopicName, u32),
    /// There is a topic more.
    NewTopic(TopicName, Topic),
    /// There is one less.
    DropTopic(TopicName),
    /// Every process in a rack is gone without a word.
    LoseRack(Rack),
    /// They all come back.
    ReturnRack(Rack),
    /// A member says something else of itself; null takes a fact back.
    Facts(String, Facts),
    /// A member reads something else.
    Subscribe(String, Reads),
    /// The group is so far behind with each partition of a topic; what is not said is not known.
    Lag(TopicName, Vec<Option<u64>>),
    /// Time passes.
    Wait(u64),
}

/// One step: what happens at once.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// In words.
    pub title: String,
    /// What happens.
    pub happenings: Vec<Happening>,
}

/// A topic whose partitions' replicas lie in these racks in turn, so many racks each.
pub fn topic(partitions: u32, racks: &[Rack], replicas: usize) -> Topic {
    let of = |number: usize| -> Vec<Rack> {
        (0..replicas.min(racks.len())).map(|next| racks[(number + next) % racks.len()].clone()).collect()
    };
    let racks = if racks.is_empty() { Vec::new() } else { (0..partitions as usize).map(of).collect() };
    Topic { partitions, racks }
}

/// So many members with names in order, in these racks in turn.
pub fn crew(prefix: &str, count: usize, racks: &[Rack], model: &Spec) -> Vec<Spec> {
    let width = count.to_string().len();
    let one = |number: usize| {
        let mut spec = Spec { name: format!("{prefix}{:0width$}", number + 1), ..model.clone() };
        if !racks.is_empty() {
            spec.facts.insert(RACK.to_owned(), Value::from(racks[number % racks.len()].as_str()));
        }
        spec
    };
    (0..count).map(one).collect()
}

/// Facts over facts: null takes one back.
pub(super) fn overlay(facts: &mut Facts, news: &Facts) {
    for (name, value) in news {
        match value {
            Value::Null => drop(facts.remove(name)),
            value => drop(facts.insert(name.clone(), value.clone())),
        }
    }
}

/// Makes a topic larger; the racks of new partitions go on as those before.
pub(super) fn grow(topic: &mut Topic, partitions: u32) {
    let known = topic.racks.len();
    if known > 0 {
        let more: Vec<Vec<Rack>> = (known..partitions as usize).map(|at| topic.racks[at % known].clone()).collect();
        topic.racks.extend(more);
    }
    topic.partitions = partitions;
}

/// The topics of a table that a member reads.
pub(super) fn read_of(reads: &Reads, topics: &BTreeMap<TopicName, Topic>) -> Vec<TopicName> {
    match reads {
        Reads::All => topics.keys().cloned().collect(),
        Reads::These(names) => names.clone(),
    }
}
