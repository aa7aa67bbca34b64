//! A capture: one call of a strategy with all that went into it and all that came of it, so that the same can be asked again,
//! of the same module or of another, on any machine.
//!
//! The file is `DIVVYCAP`, the number of its form, the length of the body, the body's xxh3 (each little-endian: `u32`,
//! `u64`, `u64`), then the body: a MessagePack map with text keys. Keys that a later divvy adds are skipped; a change
//! that an older one would misread gets another number.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Assignor, CallError, FaultKind};
use crate::ids::{Digest, MemberId};

mod asked;
mod had;
mod replay;
mod tape;
#[cfg(test)]
mod tests;

pub use asked::Asked;
pub use had::had;
pub use replay::{Difference, Piece, replay};
pub use tape::{Served, Tape};

/// How every capture begins.
const MAGIC: &[u8; 8] = b"DIVVYCAP";

/// The form that is written; what is older is read as well.
const FORM: u32 = 1;

/// Magic, form, length, checksum.
const HEAD_BYTES: usize = 8 + 4 + 8 + 8;

/// The largest capture: two thousand members with a million partitions make 70 MB, with all their racks 120.
pub const MAX_CAPTURE_BYTES: usize = 256 * 1024 * 1024;

/// JSON nests 128 deep at most where it is read; the rest is the capture's own maps.
const MAX_DEPTH: usize = 160;

/// One call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Capture {
    /// The divvy that recorded it.
    pub divvy: String,
    /// Who led.
    pub led_by: LedBy,
    /// What the leader knew.
    pub asked: Asked,
    /// Who was asked.
    pub module: Identity,
    /// The request; none if it could not be made.
    #[serde(default, with = "maybe_bytes")]
    pub request: Option<Bytes>,
    /// The reply; none if the call failed.
    #[serde(default, with = "maybe_bytes")]
    pub reply: Option<Bytes>,
    /// Why there was no plan; none if the reply keeps the rules.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// How long it all took, in microseconds.
    #[serde(default)]
    pub took_us: u64,
    /// What served the generation in the end.
    pub served: Served,
}

/// Who led the generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LedBy {
    /// A member of the group.
    Leader,
    /// The coordinator itself.
    Coordinator,
    /// `divvy lead`.
    Lead,
}

impl fmt::Display for LedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LedBy::Leader => "a member",
            LedBy::Coordinator => "the coordinator",
            LedBy::Lead => "divvy lead",
        })
    }
}

/// Which module it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// Its digest; none for the host's own range.
    #[serde(default)]
    pub digest: Option<Digest>,
}

impl Identity {
    /// What a strategy is.
    pub fn of(strategy: &dyn Assignor) -> Self {
        let manifest = strategy.manifest();
        Self { name: manifest.name.clone(), version: manifest.version, digest: strategy.digest() }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.digest {
            Some(digest) => write!(f, "{}@{} ({})", self.name, self.version, digest.short()),
            None => write!(f, "divvy's own {}", self.name),
        }
    }
}

/// A [`CallError`] as it is kept: a later divvy may know more kinds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// [`FaultKind::name`].
    pub kind: String,
    /// The strategy's own code.
    #[serde(default)]
    pub code: Option<String>,
    /// What happened.
    pub message: String,
}

impl Fault {
    /// Whether the same input need not fail again: what a machine has time and stack for is its own.
    pub fn is_of_the_machine(&self) -> bool {
        [FaultKind::Deadline, FaultKind::Stack, FaultKind::Busy, FaultKind::Missing]
            .iter()
            .any(|kind| kind.name() == self.kind)
    }
}

impl From<&CallError> for Fault {
    fn from(error: &CallError) -> Self {
        Self { kind: error.kind.name().to_owned(), code: error.code.clone(), message: error.message.clone() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
        write!(f, "{}{code}: {}", self.kind, self.message)
    }
}

/// Why bytes are no capture, as the end of a sentence about their file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoCapture {
    /// Something else.
    #[error("is no capture: it does not begin as one of divvy's does")]
    Foreign,
    /// Of a later divvy.
    #[error(
        "is a capture of form {0}, and this divvy reads up to {FORM}: read it with the divvy that wrote it, or a later one"
    )]
    Later(u32),
    /// Its end is missing.
    #[error("is cut off: {there} of its {whole} bytes are there")]
    Truncated {
        /// How many there are.
        there: u64,
        /// How many there should be.
        whole: u64,
    },
    /// Somebody changed it.
    #[error("is damaged: its checksum is not that of its bytes")]
    Damaged,
    /// It was written by something else.
    #[error("is damaged: {0}")]
    Malformed(String),
}

impl Capture {
    /// The file.
    pub fn write(&self) -> Vec<u8> {
        let mut to = vec![0; HEAD_BYTES];
        // Writing to memory does not fail, and every part has a form.
        let _ = self.serialize(&mut rmp_serde::Serializer::new(&mut to).with_struct_map());
        let length = (to.len() - HEAD_BYTES) as u64;
        let sum = xxh3_64(&to[HEAD_BYTES..]);
        to[..8].copy_from_slice(MAGIC);
        to[8..12].copy_from_slice(&FORM.to_le_bytes());
        to[12..20].copy_from_slice(&length.to_le_bytes());
        to[20..28].copy_from_slice(&sum.to_le_bytes());
        to
    }

    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Self, NoCapture> {
        let Some((magic, rest)) = bytes.split_first_chunk::<8>() else { return Err(NoCapture::Foreign) };
        if magic != MAGIC {
            return Err(NoCapture::Foreign);
        }
        let cut = |whole: u64| NoCapture::Truncated { there: bytes.len() as u64, whole };
        let (form, rest) = rest.split_first_chunk::<4>().ok_or(cut(HEAD_BYTES as u64))?;
        let form = u32::from_le_bytes(*form);
        if form == 0 {
            return Err(NoCapture::Foreign);
        }
        if form > FORM {
            return Err(NoCapture::Later(form));
        }
        let (length, rest) = rest.split_first_chunk::<8>().ok_or(cut(HEAD_BYTES as u64))?;
        let (sum, body) = rest.split_first_chunk::<8>().ok_or(cut(HEAD_BYTES as u64))?;
        let length = u64::from_le_bytes(*length);
        if (body.len() as u64) < length {
            return Err(cut(length.saturating_add(HEAD_BYTES as u64)));
        }
        if body.len() as u64 > length || xxh3_64(body) != u64::from_le_bytes(*sum) {
            return Err(NoCapture::Damaged);
        }
        Self::read_body(body)
    }

    /// Reads what stands behind the checksum.
    pub fn read_body(body: &[u8]) -> Result<Self, NoCapture> {
        let mut from = rmp_serde::Deserializer::from_read_ref(body);
        from.set_max_depth(MAX_DEPTH);
        Self::deserialize(&mut from).map_err(|error| NoCapture::Malformed(error.to_string()))
    }
}

/// Bytes as bytes, not as a list of numbers.
pub(super) mod raw_bytes {
    use bytes::Bytes;
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &Bytes, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        from.deserialize_bytes(Visit)
    }

    struct Visit;

    impl Visitor<'_> for Visit {
        type Value = Bytes;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }
        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
            Ok(Bytes::copy_from_slice(bytes))
        }
    }
}

/// Bytes that stand in something else.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Raw(#[serde(with = "raw_bytes")] Bytes);

/// Bytes, or nothing.
mod maybe_bytes {
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Raw;

    pub fn serialize<S: Serializer>(bytes: &Option<Bytes>, to: S) -> Result<S::Ok, S::Error> {
        bytes.clone().map(Raw).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Bytes>, D::Error> {
        Ok(Option::<Raw>::deserialize(from)?.map(|raw| raw.0))
    }
}

/// A state for each member.
mod states {
    use bytes::Bytes;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{MemberId, Raw};

    pub fn serialize<S: Serializer>(states: &[(MemberId, Bytes)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(states.iter().map(|(id, state)| (id, Raw(state.clone()))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(MemberId, Bytes)>, D::Error> {
        let states = Vec::<(MemberId, Raw)>::deserialize(from)?;
        Ok(states.into_iter().map(|(id, Raw(state))| (id, state)).collect())
    }
}
