//! ABI 1, the bytes between host and module: one layout, compiled into both sides.
//!
//! A request is a MessagePack array read by position; readers skip a tail that they do not know, so a later minor version only
//! appends. Everything that exists once for each partition is a dense little-endian column inside a `bin`, in the order of the
//! *dense partition index*: partitions of topic `t` are `base(t) .. base(t) + partitions(t)`, and `base` counts the partitions
//! of the topics before.
//!
//! | request, shape `partitions` | |
//! |---|---|
//! | 0 | minor version: uint |
//! | 1 | seed: u64 |
//! | 2 | group: `[id, generation, protocol, "eager" or "cooperative"]` |
//! | 3 | configuration: map |
//! | 4 | topics, by name: `[name, partitions, flags]` |
//! | 5 | distinct subscriptions: `[[start, len]...]` of topic indexes, or a bit set in a `bin` (bit `i % 8` of byte `i / 8`) |
//! | 6 | members, by id: `[id, instance id or nil, client id, rack index or nil, subscription index, user data or nil, facts]` |
//! | 7 | racks, by name |
//! | 8 | claims: `bin`, up to [`MAX_CLAIM_LAYERS`] owner maps one after another; empty when nobody claims anything |
//! | 9 | columns: map of name to `bin` |
//! | 10 | wall clock in milliseconds |
//! | 11 | memo: `bin` or nil |
//!
//! | request, shape `states` | |
//! |---|---|
//! | 0 … 3 | as above |
//! | 4 | context of the application: `bin` or nil |
//! | 5 | members, by id: `[id, instance id or nil, metadata]` |
//! | 6, 7 | wall clock, memo |
//!
//! | request of `divvy_user_data` | |
//! |---|---|
//! | 0, 1, 2 | minor version, group id, protocol |
//! | 3 | configuration: map |
//! | 4 | topics that the member subscribes to: names |
//! | 5 | facts: map |
//! | 6 | its last state: `bin` or nil |
//! | 7 | wall clock |
//!
//! The request of `divvy_check` is `[request: bin, states: [bin...]]`: the request that the plan was made for and the states that
//! are to be handed out, in the order of its members.
//!
//! A reply is `[status, body, [[level, text]...]]`. Status 1 has the body `[code, message, retriable, member index or nil]`.
//! Status 0 has, by export and shape:
//!
//! | | body |
//! |---|---|
//! | `partitions` | `[copies, owners: bin32, user data: nil or [bin or nil...] by member, memo, call again in ms: uint or nil]` |
//! | `states` | `[states: [bin...] by member, memo, call again in ms]` |
//! | user data | `bin` or nil |
//! | check | nil |
//!
//! `owners` holds `copies` owner maps, one after another; the first names the primary owners.

pub mod msgpack;
pub mod reply;
pub mod request;
mod text;

#[cfg(feature = "host")]
pub mod host;

/// The minor version of ABI 1 that this crate writes.
pub const MINOR: u32 = 0;

/// The owner maps that claims may have: a partition with more copies than that has lost most of them anyway.
pub const MAX_CLAIM_LAYERS: usize = 8;

/// The partitions of one request: 16 times the largest group measured; an owner map stays within 64 MiB.
pub const MAX_PARTITIONS: u32 = 1 << 24;

/// The diagnostic lines of one reply that the host keeps: enough to explain a plan, too few to flood a log.
pub const MAX_DIAG_LINES: usize = 64;

/// The bytes of all diagnostic lines that the host keeps.
pub const MAX_DIAG_BYTES: usize = 16 * 1024;

/// The bytes of a memo: it is stored with every generation of the group.
pub const MAX_MEMO_BYTES: usize = 64 * 1024;

/// The bytes of a panic's text: with its length, the area behind `divvy_panic` is 1 KiB.
pub const MAX_PANIC_BYTES: usize = 1020;

/// In the column `replica_racks`: this replica has no rack, or the partition has no such replica.
pub const NO_RACK: u16 = u16::MAX;

/// In the column `lag`: nothing is committed for the partition, or the answer did not come in time.
pub const UNKNOWN_LAG: u64 = u64::MAX;

/// Names of the exports, the custom section and the columns.
pub mod names {
    /// Marks a module of ABI 1; never called.
    pub const ABI: &str = "divvy_abi_v1";
    /// Takes a length and returns the address of a buffer for the request; 0 when there is no room.
    pub const ALLOC: &str = "divvy_alloc";
    /// Makes a plan.
    pub const ASSIGN: &str = "divvy_assign";
    /// Optional: what a member adds to its metadata.
    pub const USER_DATA: &str = "divvy_user_data";
    /// Optional: judges a plan.
    pub const CHECK: &str = "divvy_check";
    /// Optional global: the address of `{u32 length, text}`, read by the host after a trap.
    pub const PANIC: &str = "divvy_panic";
    /// The custom section with the manifest.
    pub const MANIFEST: &str = "divvy.manifest";
    /// The column of replica racks: u16 each, a fixed number for each partition.
    pub const REPLICA_RACKS: &str = "replica_racks";
    /// The column of lags: u64 each, how many records of a partition the group has not read yet; [`super::UNKNOWN_LAG`]
    /// where nobody knows.
    pub const LAG: &str = "lag";
}

/// How many bytes an owner takes in an owner map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Up to 65,534 members.
    Two,
    /// More than that.
    Four,
}

impl Width {
    /// The width for a number of members; all ones must stay free to mean nobody.
    pub const fn of(members: usize) -> Width {
        if members <= 65_534 { Width::Two } else { Width::Four }
    }

    /// In bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Width::Two => 2,
            Width::Four => 4,
        }
    }

    /// The owner at a dense index of an owner map; `None` for nobody and beyond the map's end.
    #[inline]
    pub fn get(self, map: &[u8], index: usize) -> Option<u32> {
        match self {
            Width::Two => match map.get(index * 2..index * 2 + 2) {
                Some(&[a, b]) if [a, b] != [0xff; 2] => Some(u32::from(u16::from_le_bytes([a, b]))),
                _ => None,
            },
            Width::Four => match map.get(index * 4..index * 4 + 4) {
                Some(&[a, b, c, d]) if [a, b, c, d] != [0xff; 4] => Some(u32::from_le_bytes([a, b, c, d])),
                _ => None,
            },
        }
    }

    /// Writes an owner at a dense index of an owner map.
    ///
    /// # Panics
    /// When the map has no such index.
    #[inline]
    pub fn set(self, map: &mut [u8], index: usize, owner: Option<u32>) {
        let bytes = owner.unwrap_or(u32::MAX).to_le_bytes();
        match self {
            Width::Two => map[index * 2..index * 2 + 2].copy_from_slice(&bytes[..2]),
            Width::Four => map[index * 4..index * 4 + 4].copy_from_slice(&bytes),
        }
    }
}

/// How the members of a group hand partitions over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Everything is given up before each rebalance.
    #[default]
    Eager,
    /// Only what moves is given up (KIP-429); the host withholds what is still held.
    Cooperative,
}

impl Mode {
    /// Its name in a request.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Eager => "eager",
            Mode::Cooperative => "cooperative",
        }
    }
}

#[cfg(test)]
mod tests;
