//! The host's half: requests from plain values into a vector that is used again, and replies read in place.

use super::msgpack::{Malformed, Reader, Writer};
use super::{MAX_DIAG_BYTES, MAX_DIAG_LINES, MINOR, Mode, Width};

pub use super::reply::Refused;

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
    /// Owner maps of claims, one after another, of [`Width::of`] the members; empty when nobody claims anything.
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

/// Ranges when they are shorter, else a bit set. A range takes at most 11 bytes, usually far less.
fn write_subscription(writer: &mut Writer<'_>, topics: &[u32], all: usize) {
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

/// What a reply must be, by the export and its request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// A plan of shape `partitions`.
    Partitions {
        /// The members of the request.
        members: usize,
        /// The partitions of the request.
        partitions: usize,
    },
    /// A plan of shape `states`.
    States {
        /// The members of the request.
        members: usize,
    },
    /// User data.
    UserData,
    /// The answer of a check.
    Check,
}

/// A reply.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply<'a> {
    /// What was decided.
    pub body: Body<'a>,
    /// Diagnostic lines, level and text, cut to what a host keeps.
    pub diag: Vec<(&'a str, &'a str)>,
}

/// What was decided.
#[derive(Clone, PartialEq, Debug)]
pub enum Body<'a> {
    /// Who owns which partition.
    Partitions(PartitionsPlan<'a>),
    /// What each member gets.
    States(StatesPlan<'a>),
    /// User data, or none.
    UserData(Option<&'a [u8]>),
    /// A check found nothing wrong.
    Checked,
    /// The strategy said no.
    Refused {
        /// A short name for programs.
        code: &'a str,
        /// A sentence for people.
        message: &'a str,
        /// Whether it may say yes later to the same group.
        retriable: bool,
        /// The index of the member that is the reason.
        member: Option<u32>,
    },
}

/// A plan of shape `partitions`. Its owner maps have the right length; whether the owners exist is for the verdict to say.
#[derive(Clone, PartialEq, Debug)]
pub struct PartitionsPlan<'a> {
    /// How many owner maps follow each other.
    pub copies: u16,
    /// The owner maps, the primary owners first.
    pub owners: &'a [u8],
    /// User data for each member's assignment.
    pub user_data: Option<Vec<Option<&'a [u8]>>>,
    /// What to remember for the next call.
    pub memo: Option<&'a [u8]>,
    /// When to call again although nothing changed.
    pub call_again_ms: Option<u64>,
}

/// A plan of shape `states`.
#[derive(Clone, PartialEq, Debug)]
pub struct StatesPlan<'a> {
    /// A state for each member.
    pub states: Vec<&'a [u8]>,
    /// What to remember for the next call.
    pub memo: Option<&'a [u8]>,
    /// When to call again although nothing changed.
    pub call_again_ms: Option<u64>,
}

/// Reads a reply in place. Nothing is trusted: counts are bounded by the bytes that are there, lengths must be exact.
pub fn parse_reply(bytes: &[u8], expected: Expected) -> Result<Reply<'_>, Malformed> {
    let mut from = Reader::new(bytes);
    let tail = from.fields(3, "a reply of 3 items")?;
    let body = match from.unsigned("the status 0 or 1")? {
        0 => read_body(&mut from, expected)?,
        1 => read_refused(&mut from)?,
        _ => return Err(from.malformed("the status 0 or 1")),
    };
    let diag = read_diag(&mut from)?;
    from.skip_many(tail)?;
    from.end()?;
    Ok(Reply { body, diag })
}

fn read_body<'a>(from: &mut Reader<'a>, expected: Expected) -> Result<Body<'a>, Malformed> {
    match expected {
        Expected::Partitions { members, partitions } => {
            read_partitions(from, members, partitions).map(Body::Partitions)
        }
        Expected::States { members } => {
            let tail = from.fields(3, "a plan of 3 items")?;
            let states = by_member(from, members, |from| from.binary("a state"))?;
            let (memo, call_again_ms) = read_memo(from)?;
            from.skip_many(tail)?;
            Ok(Body::States(StatesPlan { states, memo, call_again_ms }))
        }
        Expected::UserData => from.optional_binary("user data or nil").map(Body::UserData),
        Expected::Check => from.skip().map(|()| Body::Checked),
    }
}

fn read_partitions<'a>(
    from: &mut Reader<'a>,
    members: usize,
    partitions: usize,
) -> Result<PartitionsPlan<'a>, Malformed> {
    let tail = from.fields(5, "a plan of 5 items")?;
    let copies = u16::try_from(from.unsigned("a number of copies")?).unwrap_or(0);
    if copies == 0 {
        return Err(from.malformed("1 to 65,535 copies"));
    }
    let owners = from.binary("owner maps")?;
    let layer = partitions.checked_mul(Width::of(members).bytes());
    if layer.and_then(|layer| layer.checked_mul(usize::from(copies))) != Some(owners.len()) {
        return Err(from.malformed("owner maps with an owner for each partition and copy"));
    }
    let user_data = match from.nil() {
        true => None,
        false => Some(by_member(from, members, |from| from.optional_binary("user data or nil"))?),
    };
    let (memo, call_again_ms) = read_memo(from)?;
    from.skip_many(tail)?;
    Ok(PartitionsPlan { copies, owners, user_data, memo, call_again_ms })
}

fn read_memo<'a>(from: &mut Reader<'a>) -> Result<(Option<&'a [u8]>, Option<u64>), Malformed> {
    Ok((from.optional_binary("a memo or nil")?, from.optional_unsigned("a time to call again or nil")?))
}

fn read_refused<'a>(from: &mut Reader<'a>) -> Result<Body<'a>, Malformed> {
    let tail = from.fields(4, "a refusal of 4 items")?;
    let body = Body::Refused {
        code: from.text("a refusal's code")?,
        message: from.text("a refusal's message")?,
        retriable: from.boolean("whether it is retriable")?,
        member: if from.nil() { None } else { Some(from.unsigned32("a member's index or nil")?) },
    };
    from.skip_many(tail)?;
    Ok(body)
}

fn read_diag<'a>(from: &mut Reader<'a>) -> Result<Vec<(&'a str, &'a str)>, Malformed> {
    let (mut kept, mut bytes) = (Vec::new(), 0);
    for _ in 0..from.array("diagnostic lines")? {
        let tail = from.fields(2, "a diagnostic line")?;
        let (level, text) = (from.text("a line's level")?, from.text("a line's text")?);
        from.skip_many(tail)?;
        bytes += level.len() + text.len();
        if kept.len() < MAX_DIAG_LINES && bytes <= MAX_DIAG_BYTES {
            kept.push((level, text));
        }
    }
    Ok(kept)
}

fn by_member<'a, T>(
    from: &mut Reader<'a>,
    members: usize,
    item: impl FnMut(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    if from.array("one item for each member")? != members {
        return Err(from.malformed("one item for each member"));
    }
    let mut item = item;
    (0..members).map(|_| item(from)).collect()
}
