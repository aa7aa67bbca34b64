//! Reads replies in place.

use crate::abi::msgpack::{Malformed, Reader};
use crate::abi::{MAX_DIAG_BYTES, MAX_DIAG_LINES, MAX_MEMO_BYTES, Width};

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
    let memo = from.optional_binary("a memo or nil")?;
    if memo.is_some_and(|memo| memo.len() > MAX_MEMO_BYTES) {
        return Err(from.malformed("a memo of at most 64 KiB"));
    }
    Ok((memo, from.optional_unsigned("a time to call again or nil")?))
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
    mut item: impl FnMut(&mut Reader<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    if from.array("one item for each member")? != members {
        return Err(from.malformed("one item for each member"));
    }
    (0..members).map(|_| item(from)).collect()
}
