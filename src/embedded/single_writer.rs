//! The embedded protocol of type `single-writer`: one member is active, the others stand by.
//!
//! Metadata is the MessagePack array `[1, facts]`; a state is `[1, active, epoch, active_member_id]`. The epoch is the
//! generation of the plan: whoever acts under a lower one has been replaced, so it serves as a fencing token.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::EmbeddedProtocol;
use super::classic::NotDecodable;
use super::user_data::{Facts, MAX_DEPTH};

/// The first item of each frame. Later versions only append.
const VERSION: u32 = 1;

/// What a candidate says of itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Candidate {
    /// By name.
    pub facts: Facts,
}

/// What a member is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Role {
    /// Whether it is the active one.
    pub active: bool,
    /// The fencing token.
    pub epoch: i32,
    /// Who is active; empty when nobody is.
    pub active_member: String,
}

impl Candidate {
    /// Reads a member's metadata.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotDecodable> {
        let (_, facts): (u32, Facts) = decode(bytes, "single-writer metadata")?;
        Ok(Self { facts })
    }

    /// Writes it.
    pub fn encode(&self) -> Vec<u8> {
        encode(&(VERSION, &self.facts))
    }
}

impl Role {
    /// Reads a member's state.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotDecodable> {
        let (_, active, epoch, active_member): (u32, bool, i32, String) = decode(bytes, "single-writer state")?;
        Ok(Self { active, epoch, active_member })
    }

    /// Writes it.
    pub fn encode(&self) -> Vec<u8> {
        encode(&(VERSION, self.active, self.epoch, &self.active_member))
    }
}

fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8], what: &'static str) -> Result<T, NotDecodable> {
    let mut from = rmp_serde::Deserializer::from_read_ref(bytes);
    from.set_max_depth(MAX_DEPTH);
    T::deserialize(&mut from).map_err(|_| NotDecodable(what))
}

fn encode(frame: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(frame).expect("text keys and plain data always have a MessagePack form")
}

/// The registry's entry.
pub(super) struct SingleWriter;

impl EmbeddedProtocol for SingleWriter {
    fn protocol_type(&self) -> &'static str {
        "single-writer"
    }

    fn metadata(&self, bytes: &[u8]) -> Option<Value> {
        Candidate::decode(bytes).ok().map(|candidate| json!({ "facts": candidate.facts }))
    }

    fn state(&self, bytes: &[u8]) -> Option<Value> {
        Role::decode(bytes).ok().map(|role| {
            json!({ "role": if role.active { "active" } else { "standby" }, "epoch": role.epoch, "active": role.active_member })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let candidate = Candidate { facts: Facts::from([("zone".into(), json!("a"))]) };
        assert_eq!(Candidate::decode(&candidate.encode()).unwrap(), candidate);
        let role = Role { active: true, epoch: 12, active_member: "w-1".into() };
        assert_eq!(Role::decode(&role.encode()).unwrap(), role);
        assert_eq!(role.encode()[..4], [0x94, 1, 0xc3, 12]);
    }

    #[test]
    fn no_truncation_panics() {
        let bytes = Role { active: false, epoch: -1, active_member: "w-1".into() }.encode();
        for cut in 0..bytes.len() {
            assert!(Role::decode(&bytes[..cut]).is_err());
            assert!(Candidate::decode(&bytes[..cut]).is_err());
        }
    }
}
