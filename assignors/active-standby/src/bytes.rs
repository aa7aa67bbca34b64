//! The bytes of states and memo: MessagePack arrays that begin with their version and may grow at the end.

use divvy_guest::StateMember;
use divvy_guest::abi::msgpack::{Malformed, Reader, Writer};

const VERSION: u64 = 1;

/// What a member of a group of type `single-writer` is told: `[1, active, epoch, id of the active member]`.
pub struct State<'a> {
    /// Whether it is the active one.
    pub active: bool,
    /// The generation in which that was decided.
    pub epoch: i32,
    /// The active member's id.
    pub active_id: &'a str,
}

impl<'a> State<'a> {
    /// Reads a state.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        from.fields(4, "a state of 4 items")?;
        version(&mut from)?;
        let active = from.boolean("whether it is active")?;
        let epoch = i32::try_from(from.signed("an epoch")?).map_err(|_| from.malformed("an epoch"))?;
        Ok(State { active, epoch, active_id: from.text("the active member's id")? })
    }

    /// Writes it.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut to = Writer::new(&mut bytes);
        to.array(4);
        to.unsigned(VERSION);
        to.boolean(self.active);
        to.signed(i64::from(self.epoch));
        to.text(self.active_id);
        bytes
    }
}

/// Who is active: `[1, id, instance id or nil]`.
#[derive(Clone, Copy)]
pub struct Memo<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its instance id, when it is static.
    pub instance_id: Option<&'a str>,
}

impl<'a> Memo<'a> {
    /// Reads a memo.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut from = Reader::new(bytes);
        from.fields(3, "a memo of 3 items")?;
        version(&mut from)?;
        Ok(Memo { id: from.text("an id")?, instance_id: from.optional_text("an instance id or nil")? })
    }

    /// Writes it.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut to = Writer::new(&mut bytes);
        to.array(3);
        to.unsigned(VERSION);
        to.text(self.id);
        to.optional_text(self.instance_id);
        bytes
    }

    /// Whether this is the member. A static one is known by its instance id: it has a new member id after a restart.
    pub fn names(&self, member: StateMember<'_>) -> bool {
        match self.instance_id {
            Some(_) => member.instance_id() == self.instance_id,
            None => member.id() == self.id,
        }
    }
}

fn version(from: &mut Reader<'_>) -> Result<(), Malformed> {
    match from.unsigned("a version")? {
        0 => Err(from.malformed("a version from 1")),
        _ => Ok(()),
    }
}
