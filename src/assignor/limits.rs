//! Every bound of making a plan, with the reason for it.

use std::time::Duration;

use divvy_guest::abi;

/// A call that ran into its deadline after so long, or after all that its manifest asks for, tells that its module does not end; one
/// that had less (of a group with a short rebalance timeout) does not. What a call has that asks for nothing.
pub const TELLING_CALL_TIME: Duration = Duration::from_secs(1);

/// Partitions of one plan: the ABI's own bound; an owner map of it is 32 MiB.
pub const MAX_PARTITIONS: u32 = abi::MAX_PARTITIONS;

/// Racks of one group: their indexes are two bytes wide and the largest means "none".
pub const MAX_RACKS: usize = abi::NO_RACK as usize;

/// Members that one partition may go to: claims of more layers would not be carried (section 6.3 of the design).
pub const MAX_COPIES: u16 = abi::MAX_CLAIM_LAYERS as u16;

/// The widest column of replicas' racks that a request has: topics need not be a coordinator's, which have fewer
/// ([`crate::topics::MAX_RACKS_PER_PARTITION`]).
pub const MAX_RACK_COLUMN: usize = 64;

/// What a reply may be longer than its owner maps or states: a whole memo, and as much again for user data and diagnostics.
pub const REPLY_SLACK_BYTES: usize = MAX_MEMO_BYTES + 64 * 1024;

/// What a reply of shape `states` may carry for each member: a state is stored and sent with every generation.
pub const STATE_BYTES_PER_MEMBER: usize = 64 * 1024;

/// The longest reply of shape `states`, whatever the number of members: as much as a SyncGroup frame may be.
pub const MAX_STATES_REPLY_BYTES: usize = 100 * 1024 * 1024;

/// A memo larger than this is refused: the coordinator stores it with every plan.
pub const MAX_MEMO_BYTES: usize = abi::MAX_MEMO_BYTES;

/// Diagnostics kept of one call; what is too much is dropped.
pub const MAX_DIAGNOSTICS: usize = abi::MAX_DIAG_LINES;

/// A strategy that wants to be called again at once would rebalance its group for ever.
pub const SHORTEST_CALL_AGAIN: Duration = Duration::from_secs(1);

/// What is held back until a member gives it up is asked for again after this, if nobody has joined since: some libraries'
/// members claim what they have lost (kafka-python's, under cooperative-sticky), so that they have nothing to give up and
/// never join again by themselves. Longer than anybody takes who is at it.
pub const LONGEST_HELD_BACK: Duration = Duration::from_secs(60);

/// A text of a strategy's that goes into an error is cut to this: it is stored and shown.
pub const MAX_MESSAGE_BYTES: usize = 1024;
