//! Writes replies. The owner map of a plan is not written here but where it stands in the reply, by [`crate::Owners`].

use super::msgpack::Writer;

/// How much a diagnostic line matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Of interest to the strategy's author.
    Debug,
    /// Explains the plan.
    Info,
    /// Something that an operator should look at.
    Warn,
}

impl Level {
    /// Its name in a reply.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
        }
    }
}

/// A diagnostic line.
pub type Line = (Level, String);

/// Why there is no plan, as it stands in a reply.
#[derive(Clone, Copy, Debug)]
pub struct Refused<'a> {
    /// A short name for programs.
    pub code: &'a str,
    /// A sentence for people.
    pub message: &'a str,
    /// Whether the same group may get a plan later without a change of its members, topics or settings.
    pub retriable: bool,
    /// The index of the member that is the reason.
    pub member: Option<u32>,
}

/// The bytes before the owner map in a plan of shape `partitions`.
pub const PLAN_HEAD_BYTES: usize = 11;

/// The bytes before the owner map: fixed in length, so that the map can be written before anything else is known.
pub fn plan_head(copies: u16, owner_bytes: u32) -> [u8; PLAN_HEAD_BYTES] {
    let ([c1, c0], [l3, l2, l1, l0]) = (copies.to_be_bytes(), owner_bytes.to_be_bytes());
    // [status 0, [copies as uint 16, owners as bin 32, …
    [0x93, 0x00, 0x95, 0xcd, c1, c0, 0xc6, l3, l2, l1, l0]
}

/// What follows the owner map.
pub fn plan_tail(
    to: &mut Vec<u8>,
    user_data: Option<&[Option<Vec<u8>>]>,
    memo: Option<&[u8]>,
    call_again_ms: Option<u64>,
    diag: &[Line],
) {
    let mut writer = Writer::new(to);
    match user_data {
        None => writer.nil(),
        Some(members) => {
            writer.array(members.len());
            members.iter().for_each(|data| writer.optional_binary(data.as_deref()));
        }
    }
    writer.optional_binary(memo);
    writer.optional_unsigned(call_again_ms);
    lines(&mut writer, diag);
}

/// A plan of shape `states`.
pub fn states(states: &[Vec<u8>], memo: Option<&[u8]>, call_again_ms: Option<u64>, diag: &[Line]) -> Vec<u8> {
    let mut to = Vec::with_capacity(states.iter().map(|state| state.len() + 5).sum::<usize>() + 32);
    let mut writer = Writer::new(&mut to);
    writer.array(3);
    writer.unsigned(0);
    writer.array(3);
    writer.array(states.len());
    states.iter().for_each(|state| writer.binary(state));
    writer.optional_binary(memo);
    writer.optional_unsigned(call_again_ms);
    lines(&mut writer, diag);
    to
}

/// User data, or none.
pub fn user_data(data: Option<&[u8]>) -> Vec<u8> {
    let mut to = Vec::new();
    let mut writer = Writer::new(&mut to);
    writer.array(3);
    writer.unsigned(0);
    writer.optional_binary(data);
    lines(&mut writer, &[]);
    to
}

/// A check found nothing wrong.
pub fn checked() -> Vec<u8> {
    user_data(None)
}

/// A refusal.
pub fn refused(why: Refused<'_>, diag: &[Line]) -> Vec<u8> {
    let mut to = Vec::new();
    let mut writer = Writer::new(&mut to);
    writer.array(3);
    writer.unsigned(1);
    writer.array(4);
    writer.text(why.code);
    writer.text(why.message);
    writer.boolean(why.retriable);
    writer.optional_unsigned(why.member.map(u64::from));
    lines(&mut writer, diag);
    to
}

fn lines(writer: &mut Writer<'_>, diag: &[Line]) {
    writer.array(diag.len());
    for (level, text) in diag {
        writer.array(2);
        writer.text(level.name());
        writer.text(text);
    }
}
