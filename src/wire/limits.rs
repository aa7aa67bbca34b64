//! Every bound of the wire format, with its reason. None of them is reached by a well-behaved peer.

/// The longest frame before login, and of every request that names no partitions by the hundred thousand.
pub const FRAME_MAX: usize = 1 << 20;

/// The longest OffsetCommit, OffsetFetch, OffsetDelete or ListOffsets request. Fetching or deleting all offsets of one
/// topic of 1,000,000 partitions takes 4 MB; committing takes 18 bytes for each partition, and its note: 230,000 without,
/// 100,000 with a short one. A longer one would keep the groups of its shard waiting: it is cut by whoever sends it.
pub const OFFSETS_FRAME_MAX: usize = 4 << 20;

/// The longest JoinGroup or SyncGroup request: Kafka's own `socket.request.max.bytes`. A plan of 1,000,000
/// partitions for 2,000 members takes 20 MB.
pub const GROUP_FRAME_MAX: usize = 100 << 20;

/// The longest answer that the client takes: a leader's JoinGroup answer carries every member's metadata, up to
/// 32 MB for 2,000 members that each own their share of 1,000,000 partitions; Metadata of as many partitions takes more.
pub const ANSWER_MAX: usize = 256 << 20;

/// The most elements of one array. An element without content takes 3 bytes on the wire and about 64 in memory, so
/// without this bound a frame of 100 MiB could become 2 GiB. The largest honest array is a group's list of members.
pub const ELEMENTS_MAX: usize = 1 << 20;

/// The most tagged fields of one section: Kafka's own messages know at most four, divvy adds one.
pub const TAGS_MAX: usize = 64;

/// How much room a connection's buffer is given at least when it is read into: one heartbeat takes about 100 bytes,
/// and a pipelining client has dozens on the way. A frame that is longer doubles it as its bytes arrive.
pub const READ_MIN: usize = 8 << 10;

/// The longest buffer that a busy connection keeps; after a longer frame it begins with a new one.
pub const BUFFER_KEPT: usize = 64 << 10;

/// The longest of divvy's own tagged fields: the topic table of a plan with 100,000 topics of 60 letters takes 6 MB.
pub const DIVVY_TAG_MAX: usize = 8 << 20;

/// How deep divvy's own tagged fields may nest: the deepest, a list of pairs in a map, takes 3.
pub const DIVVY_DEPTH_MAX: usize = 16;

/// The most modules that a member may say it can run: two versions of each of 500 strategies.
pub const MODULES_MAX: usize = 1000;

/// The longest memo of a strategy, as its ABI says.
pub const MEMO_MAX: usize = 64 << 10;
