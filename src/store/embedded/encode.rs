//! Values of the database: one byte of version, then MessagePack.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::OFFSETS_PER_BLOCK;
use super::failure::Failure;
use crate::group::event::CommittedOffset;
use crate::group::record::OffsetRecord;
use crate::ids::TopicName;
use crate::time::WallTime;

/// The first byte of every value, so that a later divvy may change one kind of value and still read the old ones.
const VERSION: u8 = 1;

/// The bytes of a value.
pub(super) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    rmp_serde::encode::write(&mut bytes, value).expect("records are plain data, and memory takes every write");
    bytes
}

/// The value of those bytes. `what` and `of` tell the operator where damage is.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8], what: &'static str, of: &str) -> Result<T, Failure> {
    let damaged = |why: String| Failure::Damaged { what, of: of.to_owned(), why };
    match bytes.split_first() {
        Some((&VERSION, rest)) => rmp_serde::from_slice(rest).map_err(|error| damaged(error.to_string())),
        Some((&found, _)) => {
            let (found, known) = (u32::from(found), u32::from(VERSION));
            Err(Failure::OtherFormat { what, of: of.to_owned(), found, known })
        }
        None => Err(damaged("it is empty".to_owned())),
    }
}

/// The offsets of neighbouring partitions, by partition.
pub(super) type Block = BTreeMap<i32, Packed>;

/// An [`OffsetRecord`] without what its key says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Packed {
    offset: i64,
    leader_epoch: i32,
    metadata: String,
    at: WallTime,
    /// Left out if there is none, as in stores of an older divvy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<WallTime>,
}

/// The block that a partition's offset is in. Total: a negative partition has its block too.
pub(super) fn block_of(partition: i32) -> i32 {
    partition.div_euclid(OFFSETS_PER_BLOCK)
}

impl Packed {
    pub(super) fn pack(record: &OffsetRecord) -> Self {
        let CommittedOffset { topic: _, partition: _, offset, leader_epoch, metadata } = &record.offset;
        Self {
            offset: *offset,
            leader_epoch: *leader_epoch,
            metadata: metadata.clone(),
            at: record.at,
            expires: record.expires,
        }
    }

    pub(super) fn unpack(self, topic: TopicName, partition: i32) -> OffsetRecord {
        let Self { offset, leader_epoch, metadata, at, expires } = self;
        OffsetRecord { offset: CommittedOffset { topic, partition, offset, leader_epoch, metadata }, at, expires }
    }
}
