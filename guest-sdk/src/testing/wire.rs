//! A test's group as the bytes that a host would send, and the reply to them.

use std::collections::{BTreeMap, BTreeSet};

use super::group::{TestGroup, TestMember};
use super::{Dice, NoPlan, Refused, TestPlan, quiet};
use crate::abi::host::{self, Expected, PartitionsRequest};
use crate::abi::{MAX_CLAIM_LAYERS, NO_RACK, Width, names};
use crate::run::{self, AssignPartitions};

impl TestGroup {
    /// Calls the strategy.
    ///
    /// # Panics
    /// When the strategy does, or when its reply is no reply.
    pub fn plan(&self, assign: AssignPartitions) -> Result<TestPlan, Refused> {
        match self.read(&run::partitions(assign, &self.request())) {
            Ok(plan) => Ok(plan),
            Err(NoPlan::Refused(refused)) => Err(refused),
            Err(NoPlan::Failed(why)) => panic!("{why}"),
        }
    }

    /// Calls the strategy; a panic of its is an error like any other.
    pub fn try_plan(&self, assign: AssignPartitions) -> Result<TestPlan, NoPlan> {
        let request = self.request();
        let reply = quiet::caught(|| run::partitions(assign, &request));
        self.read(&reply.map_err(|text| NoPlan::Failed(format!("it panicked: {text}")))?)
    }

    /// Reads the reply to this group's [request](TestGroup::request), whoever made it: the same function, or a module in a sandbox.
    pub fn read(&self, reply: &[u8]) -> Result<TestPlan, NoPlan> {
        let expected = Expected::Partitions { members: self.members.len(), partitions: self.partitions() };
        let reply = host::parse_reply(reply, expected);
        TestPlan::read(self, reply.map_err(|malformed| NoPlan::Failed(format!("the reply: {malformed}")))?)
    }

    /// The partitions of all topics.
    pub fn partitions(&self) -> usize {
        self.topics.values().map(|topic| topic.partitions as usize).sum()
    }

    /// The bytes that a host would send.
    pub fn request(&self) -> Vec<u8> {
        let racks: Vec<&str> = self.rack_names().into_iter().collect();
        let rack_index = |rack: &str| racks.binary_search(&rack).ok().map(|index| index as u32);
        let topics: Vec<host::Topic<'_>> =
            self.topics.iter().map(|(name, topic)| host::Topic { name, partitions: topic.partitions }).collect();
        let subscriptions: Vec<Vec<u32>> = self.members.values().map(|member| self.subscription(member)).collect();
        // As hosts do: in the order in which members first have them.
        let mut numbers: BTreeMap<&[u32], u32> = BTreeMap::new();
        let mut distinct: Vec<&[u32]> = Vec::new();
        for subscription in &subscriptions {
            numbers.entry(subscription).or_insert_with(|| {
                distinct.push(subscription);
                distinct.len() as u32 - 1
            });
        }
        let facts: Vec<Vec<u8>> = self.members.values().map(|member| member.facts.said(self.shuffle)).collect();
        let members = self.members.values().zip(&subscriptions).zip(&facts);
        let members: Vec<host::Member<'_>> = members
            .map(|((member, subscription), facts)| host::Member {
                id: &member.id,
                instance_id: member.instance_id.as_deref(),
                client_id: &member.client_id,
                rack: member.rack.as_deref().and_then(rack_index),
                subscription: numbers[subscription.as_slice()],
                user_data: member.user_data.as_deref(),
                facts,
            })
            .collect();
        let replica_racks = self.replica_racks(rack_index);
        let columns = self.columns.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let columns = columns.chain(replica_racks.as_deref().map(|column| (names::REPLICA_RACKS, column)));
        let mut columns: Vec<(&str, &[u8])> = columns.collect();
        if self.shuffle != 0 {
            Dice::new(self.shuffle).shuffle(&mut columns);
        }
        let mut bytes = Vec::new();
        PartitionsRequest {
            head: host::Head {
                seed: self.seed,
                group: "test",
                generation: self.generation,
                protocol: "test",
                mode: self.mode,
                config: &self.config.said(self.shuffle),
            },
            topics: &topics,
            subscriptions: &distinct,
            members: &members,
            racks: &racks,
            claims: &self.claims(),
            columns: &columns,
            now_ms: self.now_ms,
            memo: self.memo.as_deref(),
        }
        .write(&mut bytes);
        bytes
    }

    fn subscription(&self, member: &TestMember) -> Vec<u32> {
        (0..)
            .zip(self.topics.keys())
            .filter(|(_, name)| member.topics.contains(*name))
            .map(|(index, _)| index)
            .collect()
    }

    fn rack_names(&self) -> BTreeSet<&str> {
        let of_topics = self.topics.values().flat_map(|topic| topic.racks.iter().flatten());
        of_topics.chain(self.members.values().filter_map(|member| member.rack.as_ref())).map(String::as_str).collect()
    }

    fn replica_racks(&self, rack_index: impl Fn(&str) -> Option<u32>) -> Option<Vec<u8>> {
        let width = self.topics.values().flat_map(|topic| topic.racks.iter().map(Vec::len)).max()?;
        let mut column = Vec::new();
        for topic in self.topics.values() {
            for partition in 0..topic.partitions as usize {
                let racks = topic.racks.get(partition).map_or(&[][..], Vec::as_slice);
                for replica in 0..width {
                    let rack = racks.get(replica).and_then(|rack| rack_index(rack)).map_or(NO_RACK, |rack| rack as u16);
                    column.extend(rack.to_le_bytes());
                }
            }
        }
        Some(column)
    }

    /// Who may be running a partition: whoever says so, reader or not.
    pub(super) fn holders(&self) -> BTreeMap<(&str, u32), Vec<&str>> {
        self.claimants(|_, _| true)
    }

    /// Whose a partition was, as a strategy is told: of those that still read its topic and say so the last by id; with copies
    /// all, up to as many as claims can say.
    pub(super) fn owners_before(&self) -> BTreeMap<(&str, u32), Vec<&str>> {
        self.claimants(|member, topic| member.topics.contains(topic))
    }

    fn claimants(&self, counts: impl Fn(&TestMember, &str) -> bool) -> BTreeMap<(&str, u32), Vec<&str>> {
        let mut holders: BTreeMap<(&str, u32), Vec<&str>> = BTreeMap::new();
        for member in self.members.values() {
            for (topic, partition) in member.owned.iter().filter(|(topic, _)| counts(member, topic)) {
                if self.topics.get(topic).is_some_and(|topic| *partition < topic.partitions) {
                    let of_partition = holders.entry((topic, *partition)).or_default();
                    if !self.has_copies {
                        of_partition.clear();
                    }
                    if of_partition.len() < MAX_CLAIM_LAYERS {
                        of_partition.push(&member.id);
                    }
                }
            }
        }
        holders
    }

    /// One owner map; with copies as many as there are claims to one partition, by member.
    fn claims(&self) -> Vec<u8> {
        let width = Width::of(self.members.len());
        let indexes: BTreeMap<&str, u32> = self.members.keys().map(String::as_str).zip(0..).collect();
        let (mut bases, mut all) = (BTreeMap::new(), 0);
        for (name, topic) in &self.topics {
            bases.insert(name.as_str(), all);
            all += topic.partitions as usize;
        }
        let before = self.owners_before();
        let layers = before.values().map(Vec::len).max().unwrap_or(0);
        let mut maps = vec![0xff; layers * all * width.bytes()];
        for ((topic, partition), members) in before {
            for (layer, member) in members.into_iter().enumerate() {
                let at = layer * all + bases[topic] + partition as usize;
                width.set(&mut maps, at, Some(indexes[member]));
            }
        }
        maps
    }
}
