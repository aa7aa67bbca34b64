//! Every bound of the client, with the reason for it.

use std::time::Duration;

/// JoinGroup and SyncGroup wait for the group: as long as the rebalance may take and this much more (as Kafka's clients),
/// or as much as any answer may take, if that is less.
pub(super) const PARKED_EXTRA: Duration = Duration::from_secs(5);

/// Addresses of brokers to ask when those that were named are away: no cluster loses more at a time and still works.
pub(super) const BROKERS_KEPT: usize = 16;

/// News that the application has not taken. One that lets so many lie does not work any more: its member leaves.
pub(super) const UNREAD_NEWS: usize = 256;

/// The reason for a rejoin, in characters: what Kafka's own client cuts it to (KIP-800).
pub(super) const REASON_MAX_CHARS: usize = 255;

/// How often a commit is sent, or is asked for, before its caller is told that the coordinator moved, loads or does not answer,
/// or that the group still rebalances.
pub(super) const COMMIT_TRIES: usize = 5;

/// The names in one Metadata request, in bytes: well below the 1 MiB that a server takes for all keys but two.
pub(super) const METADATA_REQUEST_BYTES: usize = 512 << 10;

/// What a leader may take to find out how far its group is behind: nobody works meanwhile, and a plan by lags that are
/// known in part is better than a late one.
pub(super) const LAG_TIMEOUT: Duration = Duration::from_secs(1);

/// The partitions in one ListOffsets request: about half a megabyte, as for Metadata.
pub(super) const LIST_OFFSETS_PARTITIONS: usize = 20_000;

/// What a name costs beside itself: the topic's id, lengths and tags of the newest version.
pub(super) const TOPIC_OVERHEAD_BYTES: usize = 20;
