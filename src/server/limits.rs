//! Every bound of the server, with the reason for it.

use std::time::Duration;

/// Connections at one time: each costs a file descriptor and about a kilobyte and a half.
pub(crate) const MAX_CONNECTIONS: usize = 10_000;

/// Bytes of requests that were read and not handled yet, in the whole process: of frames up to [`FREE_FRAME_BYTES`], of
/// longer ones, and of those that only large groups and large topics need. Whoever would go beyond waits for others of its class.
pub(crate) const REQUEST_MEMORY_BYTES: [usize; 3] = [64 << 20, 128 << 20, 320 << 20];

/// A frame that is not longer is read without asking for memory: it fits the buffer that connections read into.
pub(crate) const FREE_FRAME_BYTES: usize = 16 * 1024;

/// A longer frame must be whole after this time: until then it holds memory that others wait for.
pub(crate) const FRAME_TIMEOUT: Duration = Duration::from_secs(60);

/// It has to arrive evenly, each of so many parts in its share of the time: who announces a frame and sends nothing
/// holds memory for five seconds only.
pub(crate) const FRAME_PARTS: u32 = 12;

/// Unanswered requests of one connection; with so many it is not read further.
pub(crate) const MAX_IN_FLIGHT: usize = 1024;

/// An answer about more partitions than this is built beside the thread that serves the groups: it takes milliseconds,
/// and half a second for a million.
pub(crate) const LARGE_ANSWER_PARTITIONS: usize = 5000;

/// Bytes of long answers that are kept for others who ask the same: Metadata of all partitions that there can be takes
/// 104 MB.
pub(crate) const LARGE_ANSWERS_KEPT_BYTES: usize = 128 << 20;

/// Bytes of answers that one connection has not taken yet; with so many it is not read further. A client may ask for
/// all topics a thousand times and read none of the answers.
pub(crate) const MAX_UNSENT_BYTES: usize = 1 << 20;

/// What an answer counts whose length only the group knows, until it is known: one of them is on its way at a time, as
/// a group may have committed hundreds of thousands of offsets.
pub(crate) const UNKNOWN_ANSWER_BYTES: usize = MAX_UNSENT_BYTES;

/// Answers are encoded until they fill this much, then written: more would only wait in memory.
pub(crate) const WRITE_BATCH_BYTES: usize = 64 * 1024;

/// So long the requests of a peer that sends nothing more are still answered.
pub(crate) const HALF_CLOSED_TIMEOUT: Duration = Duration::from_secs(10);

/// A peer that takes not one byte of its answers for this long is closed.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// `connections.max.idle.ms`: a connection without requests for this long is closed, unless one of them waits for its answer.
pub(crate) const MAX_IDLE: Duration = Duration::from_secs(600);

/// How often idle and stuck connections are looked for.
pub(crate) const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// After the system refused a connection (no file descriptors left), the next is accepted after this pause.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Queue entries that a shard handles in one turn: one batch for the store, without keeping early answers back for long.
pub(crate) const MAX_TURN: usize = 1024;

/// Entries that the store makes durable at once; more wait for the next batch.
pub(crate) const MAX_BATCH_ENTRIES: usize = 100_000;

/// A group whose records could not be read is read again after this.
pub(crate) const RELOAD_PAUSE: Duration = Duration::from_secs(1);

/// A store that refuses is tried out so often: newcomers wait for it, and nobody else may write.
pub(crate) const PROBE_PAUSE: Duration = Duration::from_secs(1);

/// A loop that is later than this did not run: sessions are not judged by its lateness.
pub(crate) const LATE: Duration = Duration::from_secs(1);

/// `fetch.max.wait.ms` as far as it is believed: a longer wait only keeps a connection busy.
pub(crate) const MAX_FETCH_WAIT: Duration = Duration::from_secs(30);

/// Connections to the admin port at one time: people, scrapers and probes; more are closed at once.
pub(crate) const MAX_ADMIN_CONNECTIONS: usize = 256;

/// A connection to the admin port that is answered nothing for this long is closed.
pub(crate) const ADMIN_TIMEOUT: Duration = Duration::from_secs(30);

/// Plan checks at one time; more wait. One is enough to keep a processor busy.
pub(crate) const MAX_BLOCKING_THREADS: usize = 4;

/// How long a module's own check of a plan may take: the members wait for it.
pub(crate) const MODULE_CHECK_TIME: Duration = Duration::from_secs(1);

/// Plans of coordinator-led groups that are made at one time, each on a thread of its own; more wait. The sandbox lets
/// only as many modules run at once as there are cores; the others here decode, encode, or wait for it.
pub(crate) const MAX_PLANS_AT_ONCE: usize = 8;
/// Of these, those of groups that one strategy serves: what does not end keeps its own groups waiting.
pub(crate) const MAX_PLANS_OF_ONE: usize = 6;

/// What a plan may wait for the lags of its group: members have no work meanwhile, and unknown is an answer too.
pub(crate) const LAG_TIMEOUT: Duration = Duration::from_secs(1);

/// Reviews of coordinator-led groups that a shard has begun; the groups of others wait by their names alone. One change of
/// the topics is a review of every led group, and each that was begun holds a copy of its members. One thread does them
/// all: the second keeps it busy.
pub(crate) const MAX_REVIEWS_BEGUN: usize = 2;

/// Metadata and states of a foreign plan that is checked where it is, without a thread: some tens of microseconds.
pub(crate) const CHECKED_AT_ONCE_BYTES: usize = 16 * 1024;

/// A graceful stop takes no longer.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(10);

/// Lines of one kind in the log for each minute; the rest is counted. A refused client may come back every second.
pub(crate) const LOG_LINES_PER_MINUTE: u32 = 10;

/// Partitions of a topic that is created without saying how many, where naming a topic does not create it: they go
/// evenly among 2, 3, 4 and 6 members.
pub(crate) const DEFAULT_PARTITIONS: u32 = 12;

/// What asking all groups how far they have come took is worth so many times that: so the questions of a thousand
/// consumers that start at once take at most a twentieth of the shards' time.
pub(crate) const ENDS_KEPT_FACTOR: u32 = 20;

/// What a Kafka cluster may take to tell of all its topics: hundreds of megabytes at the most.
pub(crate) const CLUSTER_ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// A look at a cluster that took long is followed by so many times as long without one.
pub(crate) const CLUSTER_LOOK_FACTOR: u32 = 20;

/// But for no longer than so many looks would take otherwise: one that was slow once may have had a bad moment.
pub(crate) const CLUSTER_LOOKS_LEFT_OUT: u32 = 12;

/// Addresses of brokers to ask when those that the configuration names are away.
pub(crate) const CLUSTER_BROKERS_KEPT: usize = 16;

/// How often it is stored that the ids of a cluster's topics are kept: a write, with a sync of the disk.
pub(crate) const ORIGINS_RENEWED: Duration = Duration::from_secs(60);

/// How far ahead that reaches: the next looks come in time, and after a crash another process hardly does.
pub(crate) const ORIGINS_AHEAD: Duration = Duration::from_secs(120);

/// Ids of a cluster's topics that are gone, to know them again by: as many as there may be topics here.
pub(crate) const CLUSTER_IDS_KEPT: usize = 10_000;
