//! Reads requests in place: names, data and columns stay where they are, and only the tables of topics, members and
//! subscriptions get rows. What is read here is consistent: every index points at something, names ascend, columns fit.

use super::msgpack::{Malformed, Reader};
use super::text::comes_before;
use super::{MAX_CLAIM_LAYERS, MAX_PARTITIONS, Mode, Width, names};

/// What both shapes begin with.
#[derive(Clone, Debug)]
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
    /// The configuration: a MessagePack map.
    pub config: &'a [u8],
}

/// A topic's row.
#[derive(Clone, Copy, Debug)]
pub struct Topic<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its number of partitions.
    pub partitions: u32,
    /// The dense index of its first partition.
    pub base: u32,
}

/// One distinct set of topics.
#[derive(Clone, Debug)]
pub enum Subscription<'a> {
    /// Ascending, disjoint ranges of topic indexes: first and one past the last.
    Ranges(Vec<(u32, u32)>),
    /// A bit for each topic.
    Bits(&'a [u8]),
}

impl Subscription<'_> {
    /// Whether the topic with this index is in the set.
    #[inline]
    pub fn contains(&self, topic: u32) -> bool {
        match self {
            Subscription::Bits(bits) => bits.get(topic as usize / 8).is_some_and(|byte| byte >> (topic % 8) & 1 == 1),
            Subscription::Ranges(ranges) => {
                let after = ranges.partition_point(|&(start, _)| start <= topic);
                after > 0 && topic < ranges[after - 1].1
            }
        }
    }
}

/// A member's row.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its instance id, when it is static.
    pub instance_id: Option<&'a str>,
    /// Its client id; empty when unknown.
    pub client_id: &'a str,
    /// The index of its rack.
    pub rack: Option<u32>,
    /// The index of its subscription.
    pub subscription: u32,
    /// What its own `divvy_user_data` or its client put into its metadata.
    pub user_data: Option<&'a [u8]>,
    /// Its facts: a MessagePack map.
    pub facts: &'a [u8],
}

/// A request of shape `partitions`.
#[derive(Clone, Debug)]
pub struct Partitions<'a> {
    /// Seed, group and configuration.
    pub head: Head<'a>,
    /// Topics, by name.
    pub topics: Vec<Topic<'a>>,
    /// The partitions of all topics.
    pub partitions: u32,
    /// Distinct subscriptions.
    pub subscriptions: Vec<Subscription<'a>>,
    /// Members, by id.
    pub members: Vec<Member<'a>>,
    /// The names of racks.
    pub racks: Vec<&'a str>,
    /// Owner maps of claims, one after another.
    pub claims: &'a [u8],
    /// Columns by name.
    pub columns: Vec<(&'a str, &'a [u8])>,
    /// The wall clock.
    pub now_ms: i64,
    /// What the last accepted plan asked to be remembered.
    pub memo: Option<&'a [u8]>,
}

/// A member's row in a request of shape `states`.
#[derive(Clone, Copy, Debug)]
pub struct StateMember<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its instance id, when it is static.
    pub instance_id: Option<&'a str>,
    /// What it sent when it joined.
    pub metadata: &'a [u8],
}

/// A request of shape `states`.
#[derive(Clone, Debug)]
pub struct States<'a> {
    /// Seed, group and configuration.
    pub head: Head<'a>,
    /// Whatever the application hands to its strategy.
    pub context: Option<&'a [u8]>,
    /// Members, by id.
    pub members: Vec<StateMember<'a>>,
    /// The wall clock.
    pub now_ms: i64,
    /// What the last accepted plan asked to be remembered.
    pub memo: Option<&'a [u8]>,
}

/// A request of `divvy_user_data`.
#[derive(Clone, Debug)]
pub struct UserData<'a> {
    /// The group's id.
    pub group: &'a str,
    /// The protocol that the data goes with.
    pub protocol: &'a str,
    /// The configuration: a MessagePack map.
    pub config: &'a [u8],
    /// What the member subscribes to.
    pub topics: Vec<&'a str>,
    /// The member's facts: a MessagePack map.
    pub facts: &'a [u8],
    /// The state that it got last.
    pub last_state: Option<&'a [u8]>,
    /// The wall clock.
    pub now_ms: i64,
}

/// A request of `divvy_check`.
#[derive(Clone, Debug)]
pub struct Check<'a> {
    /// The request that the plan was made for.
    pub request: States<'a>,
    /// The states that are to be handed out, in the order of the members.
    pub states: Vec<&'a [u8]>,
}

impl<'a> Partitions<'a> {
    /// Reads a request.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let tail = from.fields(12, "a request of 12 items")?;
        let head = Head::read(&mut from)?;
        let (topics, partitions) = read_topics(&mut from)?;
        let subscriptions = list(&mut from, "subscriptions", |from| Subscription::read(from, topics.len() as u32))?;
        let members = list(&mut from, "members", Member::read)?;
        let racks = list(&mut from, "racks", |from| from.text("a rack's name"))?;
        ascend(&from, members.iter().map(|member| member.id), "members in ascending order of their ids")?;
        let known = |member: &Member<'_>| {
            (member.subscription as usize) < subscriptions.len()
                && member.rack.is_none_or(|rack| (rack as usize) < racks.len())
        };
        if !members.iter().all(known) {
            return Err(from.malformed("subscription and rack indexes of members within their tables"));
        }
        let claims = from.binary("claims")?;
        let layer = partitions as usize * Width::of(members.len()).bytes();
        let whole = if layer == 0 { claims.is_empty() } else { claims.len().is_multiple_of(layer) };
        if !whole || claims.len() > MAX_CLAIM_LAYERS * layer {
            return Err(from.malformed("claims of at most 8 whole owner maps"));
        }
        let columns = read_columns(&mut from, partitions as usize)?;
        let now_ms = from.signed("the wall clock")?;
        let memo = from.optional_binary("a memo or nil")?;
        from.skip_many(tail)?;
        from.end()?;
        Ok(Partitions { head, topics, partitions, subscriptions, members, racks, claims, columns, now_ms, memo })
    }
}

impl<'a> States<'a> {
    /// Reads a request.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let tail = from.fields(8, "a request of 8 items")?;
        let head = Head::read(&mut from)?;
        let context = from.optional_binary("a context or nil")?;
        let members = list(&mut from, "members", StateMember::read)?;
        ascend(&from, members.iter().map(|member| member.id), "members in ascending order of their ids")?;
        let now_ms = from.signed("the wall clock")?;
        let memo = from.optional_binary("a memo or nil")?;
        from.skip_many(tail)?;
        from.end()?;
        Ok(States { head, context, members, now_ms, memo })
    }
}

impl<'a> UserData<'a> {
    /// Reads a request.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let tail = from.fields(8, "a request of 8 items")?;
        from.unsigned("the minor version")?;
        let read = UserData {
            group: from.text("the group's id")?,
            protocol: from.text("the protocol")?,
            config: from.raw_map("the configuration")?,
            topics: list(&mut from, "topics", |from| from.text("a topic's name"))?,
            facts: from.raw_map("facts")?,
            last_state: from.optional_binary("the last state or nil")?,
            now_ms: from.signed("the wall clock")?,
        };
        from.skip_many(tail)?;
        from.end()?;
        Ok(read)
    }
}

impl<'a> Check<'a> {
    /// Reads a request.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        let tail = from.fields(2, "a request of 2 items")?;
        let request = States::read(from.binary("the request that the plan was made for")?)?;
        let states = list(&mut from, "states", |from| from.binary("a state"))?;
        if states.len() != request.members.len() {
            return Err(from.malformed("one state for each member"));
        }
        from.skip_many(tail)?;
        from.end()?;
        Ok(Check { request, states })
    }
}

impl<'a> Head<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        from.unsigned("the minor version")?;
        let seed = from.unsigned("the seed")?;
        let tail = from.fields(4, "a group of 4 items")?;
        let group = from.text("the group's id")?;
        let generation = i32::try_from(from.signed("the generation")?).map_err(|_| from.malformed("a generation"))?;
        let protocol = from.text("the protocol")?;
        let mode = match from.text("the mode")? {
            "eager" => Mode::Eager,
            "cooperative" => Mode::Cooperative,
            _ => return Err(from.malformed("the mode eager or cooperative")),
        };
        from.skip_many(tail)?;
        let config = from.raw_map("the configuration")?;
        Ok(Head { seed, group, generation, protocol, mode, config })
    }
}

impl<'a> Subscription<'a> {
    fn read(from: &mut Reader<'a>, topics: u32) -> Result<Self, Malformed> {
        if let Ok(bits) = from.clone().binary("a bit set") {
            from.skip()?;
            return match bits.len() == (topics as usize).div_ceil(8) {
                true => Ok(Subscription::Bits(bits)),
                false => Err(from.malformed("a bit set with a bit for each topic")),
            };
        }
        let mut past = 0;
        let ranges = list(from, "ranges of topics or a bit set", |from| {
            let tail = from.fields(2, "a range of topics")?;
            let (start, len) = (from.unsigned32("a range's start")?, from.unsigned32("a range's length")?);
            from.skip_many(tail)?;
            match start.checked_add(len) {
                Some(end) if start >= past && end <= topics => {
                    past = end;
                    Ok((start, end))
                }
                _ => Err(from.malformed("ascending ranges within the topics")),
            }
        })?;
        Ok(Subscription::Ranges(ranges))
    }
}

impl<'a> Member<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        let tail = from.fields(7, "a member of 7 items")?;
        let member = Member {
            id: from.text("a member's id")?,
            instance_id: from.optional_text("an instance id or nil")?,
            client_id: from.text("a client id")?,
            rack: if from.nil() { None } else { Some(from.unsigned32("a rack's index or nil")?) },
            subscription: from.unsigned32("a subscription's index")?,
            user_data: from.optional_binary("user data or nil")?,
            facts: from.raw_map("facts")?,
        };
        from.skip_many(tail)?;
        Ok(member)
    }
}

impl<'a> StateMember<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        let tail = from.fields(3, "a member of 3 items")?;
        let member = StateMember {
            id: from.text("a member's id")?,
            instance_id: from.optional_text("an instance id or nil")?,
            metadata: from.binary("a member's metadata")?,
        };
        from.skip_many(tail)?;
        Ok(member)
    }
}

fn read_topics<'a>(from: &mut Reader<'a>) -> Result<(Vec<Topic<'a>>, u32), Malformed> {
    let mut base = 0_u32;
    let topics = list(from, "topics", |from| {
        let tail = from.fields(3, "a topic of 3 items")?;
        let topic =
            Topic { name: from.text("a topic's name")?, partitions: from.unsigned32("a partition count")?, base };
        from.unsigned("a topic's flags")?;
        from.skip_many(tail)?;
        match base.checked_add(topic.partitions) {
            Some(next) if next <= MAX_PARTITIONS => base = next,
            _ => return Err(from.malformed("at most 16,777,216 partitions")),
        }
        Ok(topic)
    })?;
    ascend(from, topics.iter().map(|topic| topic.name), "topics in ascending order of their names")?;
    Ok((topics, base))
}

fn read_columns<'a>(from: &mut Reader<'a>, partitions: usize) -> Result<Vec<(&'a str, &'a [u8])>, Malformed> {
    let pairs = from.map("columns")?;
    let mut columns = Vec::new();
    for _ in 0..pairs {
        let (name, bytes) = (from.text("a column's name")?, from.binary("a column")?);
        let whole = if partitions == 0 { bytes.is_empty() } else { bytes.len().is_multiple_of(partitions) };
        if !whole || (name == names::REPLICA_RACKS && partitions > 0 && !bytes.len().is_multiple_of(2 * partitions)) {
            return Err(from.malformed("columns with the same number of bytes for each partition"));
        }
        if name == names::LAG && bytes.len() != 8 * partitions {
            return Err(from.malformed("a column of lags with eight bytes for each partition"));
        }
        columns.push((name, bytes));
    }
    Ok(columns)
}

fn list<'a, T>(
    from: &mut Reader<'a>,
    wanted: &'static str,
    mut item: impl FnMut(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let items = from.array(wanted)?;
    // The smallest rows are a few bytes: room is made as they arrive, not from the count alone.
    let mut rows = Vec::with_capacity(items.min(from.remaining() / 4 + 1));
    for _ in 0..items {
        rows.push(item(from)?);
    }
    Ok(rows)
}

fn ascend<'a>(
    from: &Reader<'_>,
    mut names: impl Iterator<Item = &'a str>,
    wanted: &'static str,
) -> Result<(), Malformed> {
    let Some(mut before) = names.next() else { return Ok(()) };
    for name in names {
        if !comes_before(before, name) {
            return Err(from.malformed(wanted));
        }
        before = name;
    }
    Ok(())
}
