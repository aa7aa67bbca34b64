//! Every bound of the server, with the reason for it.

use std::time::Duration;

/// Connections at one time: each costs a file descriptor and about a kilobyte and a half.
pub(crate) const MAX_CONNECTIONS: usize = 10_000;

/// Bytes of requests that were read and not handled yet, in the whole process. Whoever would go beyond waits.
pub(crate) const REQUEST_MEMORY_BYTES: usize = 512 * 1024 * 1024;

/// A frame that is not longer is read without asking for memory: it fits the buffer that a connection reads into.
pub(crate) const FREE_FRAME_BYTES: usize = 16 * 1024;

/// A longer frame must be whole after this time: until then it holds memory that others wait for.
pub(crate) const FRAME_TIMEOUT: Duration = Duration::from_secs(60);

/// Unanswered requests of one connection; with so many it is not read further.
pub(crate) const MAX_IN_FLIGHT: usize = 1024;

/// Answers are encoded until they fill this much, then written: more would only wait in memory.
pub(crate) const WRITE_BATCH_BYTES: usize = 64 * 1024;

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

/// A loop that is later than this did not run: sessions are not judged by its lateness.
pub(crate) const LATE: Duration = Duration::from_secs(1);

/// `fetch.max.wait.ms` as far as it is believed: a longer wait only keeps a connection busy.
pub(crate) const MAX_FETCH_WAIT: Duration = Duration::from_secs(30);

/// Plan checks at one time; more wait. One is enough to keep a processor busy.
pub(crate) const MAX_BLOCKING_THREADS: usize = 4;

/// A graceful stop takes no longer.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(10);

/// Lines of one kind in the log for each minute; the rest is counted. A refused client may come back every second.
pub(crate) const LOG_LINES_PER_MINUTE: u32 = 10;

/// Partitions of a topic that is created without saying how many, where naming a topic does not create it: they go
/// evenly among 2, 3, 4 and 6 members.
pub(crate) const DEFAULT_PARTITIONS: u32 = 12;
