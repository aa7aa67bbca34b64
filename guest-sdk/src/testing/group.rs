//! A group in a few lines.

use std::collections::{BTreeMap, BTreeSet};

use super::{Refused, TestPlan};
use crate::abi::host::{self, Expected, PartitionsRequest};
use crate::abi::msgpack::Writer;
use crate::abi::{MAX_CLAIM_LAYERS, Mode, NO_RACK, UNKNOWN_LAG, Width, names};
use crate::run::{self, AssignPartitions};

/// A group to make plans for. Topics and members may be added in any order.
#[derive(Clone, Debug, Default)]
pub struct TestGroup {
    pub(super) topics: BTreeMap<String, TestTopic>,
    pub(super) members: BTreeMap<String, TestMember>,
    config: Entries,
    columns: Vec<(String, Vec<u8>)>,
    mode: Mode,
    generation: i32,
    seed: u64,
    now_ms: i64,
    memo: Option<Vec<u8>>,
    has_copies: bool,
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
    instance_id: Option<String>,
    client_id: String,
    user_data: Option<Vec<u8>>,
    facts: Entries,
    owned: Vec<(String, u32)>,
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

    /// Tells a fact about it.
    pub fn fact(mut self, name: &str, value: impl Into<Entry>) -> Self {
        self.facts.0.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the user data of its metadata.
    pub fn user_data(mut self, data: impl Into<Vec<u8>>) -> Self {
        self.user_data = Some(data.into());
        self
    }

    /// Says that it had partitions of a topic last.
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

    /// Sets a value of the configuration.
    pub fn config(mut self, name: &str, value: impl Into<Entry>) -> Self {
        self.config.0.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a column: the same number of bytes for each partition, topics by name.
    pub fn column(mut self, name: &str, bytes: Vec<u8>) -> Self {
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

    /// Sets what the last plan asked to be remembered.
    pub fn memo(mut self, memo: impl Into<Vec<u8>>) -> Self {
        self.memo = Some(memo.into());
        self
    }

    /// Calls the strategy.
    ///
    /// # Panics
    /// When the strategy does, or when its reply is no reply.
    pub fn plan(&self, assign: AssignPartitions) -> Result<TestPlan, Refused> {
        let reply = run::partitions(assign, &self.request());
        let partitions = self.topics.values().map(|topic| topic.partitions as usize).sum();
        let expected = Expected::Partitions { members: self.members.len(), partitions };
        let parsed = host::parse_reply(&reply, expected).unwrap_or_else(|malformed| panic!("the reply: {malformed}"));
        TestPlan::read(self, parsed)
    }

    /// The bytes that a host would send.
    pub fn request(&self) -> Vec<u8> {
        let racks: Vec<&str> = self.rack_names().into_iter().collect();
        let rack_index = |rack: &str| racks.binary_search(&rack).ok().map(|index| index as u32);
        let topics: Vec<host::Topic<'_>> =
            self.topics.iter().map(|(name, topic)| host::Topic { name, partitions: topic.partitions }).collect();
        let subscriptions: Vec<Vec<u32>> = self.members.values().map(|member| self.subscription(member)).collect();
        let distinct: Vec<&[u32]> =
            subscriptions.iter().map(Vec::as_slice).collect::<BTreeSet<_>>().into_iter().collect();
        let facts: Vec<Vec<u8>> = self.members.values().map(|member| member.facts.to_msgpack()).collect();
        let members = self.members.values().zip(&subscriptions).zip(&facts);
        let members: Vec<host::Member<'_>> = members
            .map(|((member, subscription), facts)| host::Member {
                id: &member.id,
                instance_id: member.instance_id.as_deref(),
                client_id: &member.client_id,
                rack: member.rack.as_deref().and_then(rack_index),
                subscription: distinct.partition_point(|&other| other < subscription.as_slice()) as u32,
                user_data: member.user_data.as_deref(),
                facts,
            })
            .collect();
        let replica_racks = self.replica_racks(rack_index);
        let mut columns: Vec<(&str, &[u8])> =
            self.columns.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        columns.extend(replica_racks.as_deref().map(|column| (names::REPLICA_RACKS, column)));
        let mut bytes = Vec::new();
        PartitionsRequest {
            head: host::Head {
                seed: self.seed,
                group: "test",
                generation: self.generation,
                protocol: "test",
                mode: self.mode,
                config: &self.config.to_msgpack(),
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

    /// One owner map; of several claims to a partition the last member's counts. With copies as many as there are claims to one
    /// partition, by member.
    fn claims(&self) -> Vec<u8> {
        let width = Width::of(self.members.len());
        let mut bases = BTreeMap::new();
        let mut all = 0;
        for (name, topic) in &self.topics {
            bases.insert(name, (all, topic.partitions));
            all += topic.partitions;
        }
        let mut claims: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (index, member) in (0..).zip(self.members.values()) {
            for (topic, partition) in &member.owned {
                if let Some((base, _)) = bases.get(topic).filter(|(_, partitions)| partition < partitions) {
                    let of_partition = claims.entry(base + partition).or_default();
                    if !self.has_copies {
                        of_partition.clear();
                    }
                    of_partition.push(index);
                }
            }
        }
        let layers = claims.values().map(Vec::len).max().unwrap_or(0).min(MAX_CLAIM_LAYERS);
        let mut maps = vec![0xff; layers * all as usize * width.bytes()];
        for (partition, members) in claims {
            for (layer, member) in members.into_iter().take(layers).enumerate() {
                width.set(&mut maps, layer * all as usize + partition as usize, Some(member));
            }
        }
        maps
    }
}

/// A fact's or a setting's value.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// Several.
    List(Vec<Entry>),
    /// Several by name.
    Map(Vec<(String, Entry)>),
}

impl From<&str> for Entry {
    fn from(text: &str) -> Self {
        Entry::Text(text.to_owned())
    }
}

impl From<f64> for Entry {
    fn from(number: f64) -> Self {
        Entry::Number(number)
    }
}

impl From<bool> for Entry {
    fn from(flag: bool) -> Self {
        Entry::Flag(flag)
    }
}

impl<E: Into<Entry>> From<Vec<E>> for Entry {
    fn from(entries: Vec<E>) -> Self {
        Entry::List(entries.into_iter().map(Into::into).collect())
    }
}

impl Entry {
    /// Several by name.
    pub fn map<const N: usize>(entries: [(&str, Entry); N]) -> Self {
        Entry::Map(entries.into_iter().map(|(name, entry)| (name.to_owned(), entry)).collect())
    }

    fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Entry::Text(text) => writer.text(text),
            Entry::Number(number) => writer.number(*number),
            Entry::Flag(flag) => writer.boolean(*flag),
            Entry::List(entries) => {
                writer.array(entries.len());
                entries.iter().for_each(|entry| entry.write(writer));
            }
            Entry::Map(entries) => write_map(entries, writer),
        }
    }
}

fn write_map(entries: &[(String, Entry)], writer: &mut Writer<'_>) {
    writer.map(entries.len());
    for (name, entry) in entries {
        writer.text(name);
        entry.write(writer);
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Entries(pub(super) Vec<(String, Entry)>);

impl Entries {
    pub(super) fn to_msgpack(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_map(&self.0, &mut Writer::new(&mut bytes));
        bytes
    }
}
