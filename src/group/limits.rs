//! Every bound of a group, with the reason for it.

use std::time::Duration;

/// What an operator may set, under Kafka's own names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupLimits {
    /// `group.min.session.timeout.ms`: below it a slow network empties groups.
    pub min_session_timeout: Duration,
    /// `group.max.session.timeout.ms`: above it a dead member holds its work for too long.
    pub max_session_timeout: Duration,
    /// `group.initial.rebalance.delay.ms`: how long a new group waits for more members.
    pub initial_rebalance_delay: Duration,
    /// `group.max.size`: the most members of one group.
    pub max_size: usize,
    /// `offset.metadata.max.bytes`: the longest note of a commit.
    pub offset_metadata_max_bytes: usize,
    /// `offsets.commit.timeout.ms`: how long the answer to a write waits for the store.
    pub offsets_commit_timeout: Duration,
    /// `offsets.retention.minutes`: how long offsets are kept that nobody works with.
    pub offsets_retention: Duration,
    /// `offsets.retention.check.interval.ms`: how often they are looked for.
    pub offsets_check_interval: Duration,
}

impl GroupLimits {
    /// Why a session may not last so long, if it may not.
    pub fn session_refusal(&self, session_timeout: Duration) -> Option<String> {
        let (min, max) = (self.min_session_timeout, self.max_session_timeout);
        let fits = session_timeout >= min && session_timeout <= max;
        (!fits).then(|| {
            format!(
                "session timeout {} ms is outside {} to {} ms (group.min.session.timeout.ms, group.max.session.timeout.ms)",
                session_timeout.as_millis(),
                min.as_millis(),
                max.as_millis()
            )
        })
    }
}

impl Default for GroupLimits {
    fn default() -> Self {
        Self {
            min_session_timeout: Duration::from_secs(6),
            max_session_timeout: Duration::from_secs(1800),
            initial_rebalance_delay: Duration::from_secs(3),
            max_size: i32::MAX as usize,
            offset_metadata_max_bytes: 4096,
            offsets_commit_timeout: Duration::from_secs(5),
            offsets_retention: Duration::from_secs(7 * 24 * 3600),
            offsets_check_interval: Duration::from_secs(600),
        }
    }
}

/// A newcomer that had no id before joining may wait this long in its first join phase: its client could not
/// tell us if it gave up (Kafka's constant).
pub const NEW_MEMBER_JOIN_TIMEOUT: Duration = Duration::from_secs(300);

/// Each accepted plan reserves so many generations ahead, so that a generation announced but never stored
/// cannot come back as another one after a crash.
pub const GENERATIONS_RESERVED_AHEAD: i32 = 16;

/// A suspension begins with this …
pub const FIRST_SUSPENSION: Duration = Duration::from_secs(60);

/// … and doubles up to this.
pub const LONGEST_SUSPENSION: Duration = Duration::from_secs(3600);

/// After a leader's error the next join phase is held this long, doubling with each error in a row.
pub const FIRST_RETRY_HOLD: Duration = Duration::from_secs(1);

/// A heartbeat may wait this long: a connection that says nothing for a minute is cut by many a network on its way.
pub const LONGEST_HEARTBEAT_WAIT: Duration = Duration::from_secs(30);

/// The part of its session (a half) that a member's heartbeat may wait: another one fits in before the session ends.
pub const HEARTBEAT_WAITS_PER_SESSION: u32 = 2;
/// What a plan of the coordinator's was made from is looked at again so long after it changed: changes come in bursts
/// (ten topics created, a folder of modules copied) …
pub const GROUND_DEBOUNCE: Duration = Duration::from_secs(1);

/// … and at the latest so long after the first of them, whatever follows.
pub const LONGEST_GROUND_DEBOUNCE: Duration = Duration::from_secs(10);

/// The most that one call of a strategy may take, whatever the rebalance timeout allows: nobody has work meanwhile.
pub const LONGEST_PLAN: Duration = Duration::from_secs(60);

/// The part of the shortest rebalance timeout (a quarter) that a call may take: the rest is for its fall-back and for the
/// members.
pub const PLAN_SHARE_OF_REBALANCE: u32 = 4;

/// Groups whose module had no place for its call ask for it again spread over so many milliseconds.
pub const REST_SPREAD_MS: u64 = 1_000;

/// How long a strategy is left alone at least before it is called again at its own wish; doubled each time in a row …
pub const FIRST_REST: Duration = Duration::from_secs(1);

/// … up to this: a minute of work between two rebalances is what a group can live with.
pub const LONGEST_REST: Duration = Duration::from_secs(60);

/// A memo larger than this is refused: it is stored with every plan. The ABI's own bound.
pub const MAX_MEMO_BYTES: usize = divvy_guest::abi::MAX_MEMO_BYTES;

/// A message of a fault is cut to this: it is stored and shown.
pub const MAX_FAULT_TEXT_BYTES: usize = 1024;

/// Generations that a group remembers: enough to see a storm, and a day of a quiet group.
pub const GENERATIONS_REMEMBERED: u8 = 32;

/// Suspensions kept per group; the oldest goes.
pub const MAX_SUSPENSIONS: usize = 32;

/// Protocols of one member: as many as it may have modules, and a few that have none. The vote compares the members'
/// lists with each other, on the task that serves all groups of its shard.
pub const MAX_PROTOCOLS: usize = 1024;

/// A client's name for itself goes into its member id up to this length: the longest text of Kafka's format is 32,767
/// bytes, and an id beyond it could be told to nobody, not even to the leader.
pub const MAX_MEMBER_ID_PREFIX_BYTES: usize = 256;

/// Ids handed out and not used yet, per group: more are refused until one is used or expires.
pub const MAX_PENDING_IDS: usize = 100_000;

/// Records of a group that may wait for the store: above it commits, deletions and newcomers are refused. A second of ten
/// thousand members that all commit ten partitions; of a store that hangs, some ten megabytes.
pub const MAX_UNSTORED_RECORDS: u64 = 100_000;
