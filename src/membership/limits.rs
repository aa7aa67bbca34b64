//! Every bound and default of a member, with the reason for it.

use std::time::Duration;

/// Kafka's default since KIP-735: a pause of half a minute is a slow machine, not a dead one.
pub const SESSION_TIMEOUT: Duration = Duration::from_secs(45);

/// Kafka's default (`max.poll.interval.ms`): what a member may need to finish and give up its work.
pub const REBALANCE_TIMEOUT: Duration = Duration::from_secs(300);

/// A coordinator is asked to hold its answer for so long: a connection that says nothing for a minute is cut by many a
/// network on its way.
pub const LONGEST_LISTEN: Duration = Duration::from_secs(30);

/// The part of its session (a half) that a member asks it to: no coordinator holds an answer for longer.
pub const LISTENS_PER_SESSION: u32 = 2;

/// Kafka's default: how soon a member hears of a rebalance.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(3);

/// A divvy coordinator is told again what the member can run with every so many heartbeats: half a minute as a rule.
pub const HEARTBEATS_PER_OFFER: u32 = 10;

/// How soon a leader sees a new topic or partition; one small request of one member of the group.
pub const TOPICS_INTERVAL: Duration = Duration::from_secs(5);

/// The first wait after a failure: shorter than a person notices, longer than a broken peer's answer.
pub const FIRST_BACKOFF: Duration = Duration::from_millis(100);

/// Waits double up to this: a coordinator that comes back is found again within seconds.
pub const LONGEST_BACKOFF: Duration = Duration::from_secs(3);

/// Protocols offered at most: each carries the member's metadata, and the leader gets all of them.
pub const MAX_OFFERS: usize = 32;

/// The most that one plan may take, whatever the rebalance timeout allows and the module's manifest asks for. A module
/// that asks for nothing gets the sandbox's second: nobody has work while it runs.
pub const LONGEST_PLAN: Duration = Duration::from_secs(60);

/// How long a strategy may think what it adds to its member's metadata: the whole group waits for the member to join.
pub const LONGEST_USER_DATA: Duration = Duration::from_millis(100);

/// The longest reply to that, in bytes: every leader gets it from every member.
pub const MAX_USER_DATA_BYTES: usize = 64 * 1024;

/// The part of the rebalance timeout that a plan may take (a quarter): the rest is for the members to rejoin, for the
/// fall-back, and to sync.
pub const PLAN_SHARE_OF_REBALANCE: u32 = 4;

/// The part of its session (a third) that a member out of a generation may wait before it joins again: the coordinator
/// hears nothing of it meanwhile.
pub const WAIT_SHARE_OF_SESSION: u32 = 3;

/// The most of its session (a quarter) that an answer to JoinGroup is taken to have travelled for; else it is a heartbeat
/// interval, after which an answered heartbeat tells better.
pub const TRAVEL_SHARE_OF_SESSION: u32 = 4;

/// What changes within this is told at once: a rebalance for each of ten facts would be nine too many …
pub const GATHER: Duration = Duration::from_secs(1);

/// … but a member that changes all the time is heard this often.
pub const LONGEST_GATHER: Duration = Duration::from_secs(10);

/// A look at all topics of a cluster is repeated after a thousand times as long as this for each thousand partitions: a
/// hundred thousand of them are some megabytes for each member.
pub const LOOK_PER_PARTITION: Duration = Duration::from_millis(1);

/// But at least so often, Kafka's own pace (`metadata.max.age.ms`).
pub const LONGEST_LOOK: Duration = Duration::from_secs(300);

/// So many looks at topics fail in a row before the application is told: one may fail with any connection that breaks.
pub const LOOKS_IN_SILENCE: u32 = 3;

/// Who needs a longer pattern means a list.
pub const MAX_PATTERN_CHARS: usize = 1_024;

/// How long a member whose process ends tries to say so: a broker that moves its groups needs a second or two, and
/// somebody waits for the process.
pub const LEAVE_PATIENCE: Duration = Duration::from_secs(3);

/// How long a strategy is left alone at least before it is called again at its own wish; doubled each time in a row …
pub const FIRST_REST: Duration = Duration::from_secs(1);

/// … up to this: a minute of work between two rebalances is what a group can live with.
pub const LONGEST_REST: Duration = Duration::from_secs(60);

/// What a broker of Kafka's writes for a group beside its members (its batch, its key, its leader) …
pub const GROUP_RECORD_BYTES: usize = 160;

/// … and for a member beside its names, its metadata and its state: where it is, its timeouts, their lengths.
pub const MEMBER_RECORD_BYTES: usize = 32;
