//! Writes requests from plain values into a vector that is used again.

use crate::abi::msgpack::{Reader, Writer};
use crate::abi::{MINOR, Mode};

/// What both shapes begin with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head<'a> {
    /// The same for every call of one generation of a group.
    pub seed: u64,
    /// The group's id.
    pub group: &'a str,
    /// The generation that the plan is for.
    pub generation: i32,
    /// The protocol that the group agreed on.
    pub protocol: &'a str,
    /// How its members hand partitions over.
    pub mode: Mode,
    /// The configuration as a MessagePack map; anything else counts as no configuration.
    pub config: &'a [u8],
}

/// A topic.
#[derive(Clone, Copy, Debug)]
pub struct Topic<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number of partitions.
    pub partitions: u32,
}

/// A member of a group whose plan has shape `partitions`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Member<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its instance id, when it is static.
    pub instance_id: Option<&'a str>,
    /// Its client id; empty when unknown.
    pub client_id: &'a str,
    /// The index of its rack in the request's racks.
    pub rack: Option<u32>,
    /// The index of its subscription in the request's subscriptions.
    pub subscription: u32,
    /// User data of its metadata.
    pub user_data: Option<&'a [u8]>,
    /// Its facts as a MessagePack map; anything else counts as no facts.
    pub facts: &'a [u8],
}

/// A request of shape `partitions`. Topics are sorted by name, members by id, racks by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartitionsRequest<'a> {
    /// Seed, group and configuration.
    pub head: Head<'a>,
    /// Topics, by name.
    pub topics: &'a [Topic<'a>],
    /// Distinct subscriptions: ascending topic indexes.
    pub subscriptions: &'a [&'a [u32]],
    /// Members, by id.
    pub members: &'a [Member<'a>],
    /// The names of racks.
    pub racks: &'a [&'a str],
    /// Owner maps of claims, one after another, of [`Width::of`](crate::abi::Width::of) the members; empty when nobody claims anything.
    pub claims: &'a [u8],
    /// Columns by name.
    pub columns: &'a [(&'a str, &'a [u8])],
    /// The wall clock.
    pub now_ms: i64,
    /// What the last accepted plan asked to be remembered.
    pub memo: Option<&'a [u8]>,
}

/// A member of a group whose plan has shape `states`.
#[derive(Clone, Copy, Debug, Default)]
pub struct StateMember<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its instance id, when it is static.
    pub instance_id: Option<&'a str>,
    /// What it sent when it joined.
    pub metadata: &'a [u8],
}

/// A request of shape `states`. Members are sorted by id.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatesRequest<'a> {
    /// Seed, group and configuration.
    pub head: Head<'a>,
    /// Whatever the application hands to its strategy.
    pub context: Option<&'a [u8]>,
    /// Members, by id.
    pub members: &'a [StateMember<'a>],
    /// The wall clock.
    pub now_ms: i64,
    /// What the last accepted plan asked to be remembered.
    pub memo: Option<&'a [u8]>,
}

/// A request of `divvy_user_data`.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserDataRequest<'a> {
    /// The group's id.
    pub group: &'a str,
    /// The protocol that the data goes with.
    pub protocol: &'a str,
    /// The configuration as a MessagePack map; anything else counts as no configuration.
    pub config: &'a [u8],
    /// What the member subscribes to.
    pub topics: &'a [&'a str],
    /// The member's facts as a MessagePack map; anything else counts as no facts.
    pub facts: &'a [u8],
    /// The state that it got last.
    pub last_state: Option<&'a [u8]>,
    /// The wall clock.
    pub now_ms: i64,
}

impl PartitionsRequest<'_> {
    /// Writes the request in place of what is in `to`.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.clear();
        let mut writer = Writer::new(to);
        writer.array(12);
        self.head.write(&mut writer);
        writer.array(self.topics.len());
        for topic in self.topics {
            writer.array(3);
            writer.text(topic.name);
            writer.unsigned(u64::from(topic.partitions));
            writer.unsigned(0);
        }
        writer.array(self.subscriptions.len());
        self.subscriptions.iter().for_each(|topics| write_subscription(&mut writer, topics, self.topics.len()));
        writer.array(self.members.len());
        for member in self.members {
            writer.array(7);
            writer.text(member.id);
            writer.optional_text(member.instance_id);
            writer.text(member.client_id);
            writer.optional_unsigned(member.rack.map(u64::from));
            writer.unsigned(u64::from(member.subscription));
            writer.optional_binary(member.user_data);
            writer.raw(map_or_empty(member.facts));
        }
        writer.array(self.racks.len());
        self.racks.iter().for_each(|rack| writer.text(rack));
        writer.binary(self.claims);
        writer.map(self.columns.len());
        for (name, column) in self.columns {
            writer.text(name);
            writer.binary(column);
        }
        writer.signed(self.now_ms);
        writer.optional_binary(self.memo);
    }
}

impl StatesRequest<'_> {
    /// Writes the request in place of what is in `to`.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.clear();
        let mut writer = Writer::new(to);
        writer.array(8);
        self.head.write(&mut writer);
        writer.optional_binary(self.context);
        writer.array(self.members.len());
        for member in self.members {
            writer.array(3);
            writer.text(member.id);
            writer.optional_text(member.instance_id);
            writer.binary(member.metadata);
        }
        writer.signed(self.now_ms);
        writer.optional_binary(self.memo);
    }
}

impl UserDataRequest<'_> {
    /// Writes the request in place of what is in `to`.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.clear();
        let mut writer = Writer::new(to);
        writer.array(8);
        writer.unsigned(u64::from(MINOR));
        writer.text(self.group);
        writer.text(self.protocol);
        writer.raw(map_or_empty(self.config));
        writer.array(self.topics.len());
        self.topics.iter().for_each(|topic| writer.text(topic));
        writer.raw(map_or_empty(self.facts));
        writer.optional_binary(self.last_state);
        writer.signed(self.now_ms);
    }
}

/// Writes a request of `divvy_check` in place of what is in `to`: the request that the plan was made for, and its states in the
/// order of the request's members.
pub fn write_check(request: &[u8], states: &[&[u8]], to: &mut Vec<u8>) {
    to.clear();
    let mut writer = Writer::new(to);
    writer.array(2);
    writer.binary(request);
    writer.array(states.len());
    states.iter().for_each(|state| writer.binary(state));
}

impl Head<'_> {
    fn write(&self, writer: &mut Writer<'_>) {
        writer.unsigned(u64::from(MINOR));
        writer.unsigned(self.seed);
        writer.array(4);
        writer.text(self.group);
        writer.signed(i64::from(self.generation));
        writer.text(self.protocol);
        writer.text(self.mode.name());
        writer.raw(map_or_empty(self.config));
    }
}

/// Ranges when they are shorter, else a bit set.
fn write_subscription(writer: &mut Writer<'_>, topics: &[u32], all: usize) {
    // An array header and two small integers.
    const RANGE_BYTES: usize = 5;
    let begins = |at: usize| at == 0 || topics[at] != topics[at - 1] + 1;
    let ranges = (0..topics.len()).filter(|&at| begins(at)).count();
    if ranges * RANGE_BYTES <= all.div_ceil(8) + 2 {
        writer.array(ranges);
        for start in (0..topics.len()).filter(|&at| begins(at)) {
            let len = 1 + (start + 1..topics.len()).take_while(|&at| !begins(at)).count();
            writer.array(2);
            writer.unsigned(u64::from(topics[start]));
            writer.unsigned(len as u64);
        }
        return;
    }
    let mut bits = vec![0; all.div_ceil(8)];
    topics.iter().for_each(|&topic| bits[topic as usize / 8] |= 1 << (topic % 8));
    writer.binary(&bits);
}

fn map_or_empty(value: &[u8]) -> &[u8] {
    let mut from = Reader::new(value);
    match from.raw_map("a map").and_then(|_| from.end()) {
        Ok(()) => value,
        Err(_) => &[0x80],
    }
}
