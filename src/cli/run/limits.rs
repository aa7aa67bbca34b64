//! Every bound of `divvy run`, with the reason for it.

use std::time::Duration;

/// The wait before a child that ended by itself is started again; it doubles with each time in a row …
pub(super) const FIRST_RESTART: Duration = Duration::from_millis(500);

/// … up to this: whoever repairs what is wrong does not want to wait long to see it run.
pub(super) const LONGEST_RESTART: Duration = Duration::from_secs(30);

/// A child that has run for so long runs well: its next failure is the first again.
pub(super) const RUNS_WELL: Duration = Duration::from_secs(60);

/// For how long the failures of work that went elsewhere are remembered: a rebalance is no reason to try again at once.
pub(super) const FAILURES_KEPT: Duration = Duration::from_secs(600);

/// How much longer a rebalance waits for the member than its children may take, unless it is told.
pub(super) const BEYOND_GRACE: Duration = Duration::from_secs(30);

/// Children of one process, unless it is told: each is two processes of the system, its keeper and the worker itself.
pub(super) const MAX_CHILDREN: usize = 256;

/// So many children are started before it is looked at what happened meanwhile: each is a fork, 10 ms on a busy machine.
pub(super) const STARTS_AT_ONCE: usize = 8;

/// The longest line of a child that is shown as one; longer ones are shown in pieces.
pub(super) const MAX_LINE_BYTES: usize = 16 << 10;

/// Lines that wait to be written: a child that says more waits with its next line, as behind any pipe.
pub(super) const UNWRITTEN_LINES: usize = 1024;

/// What a child has said when it ended is read for so long: a process that it left behind may keep its output open.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);

/// What is left of a child whose keeper was killed is looked for again so soon.
pub(super) const CLEAR_AGAIN: Duration = Duration::from_millis(10);

/// One variable of an environment, in bytes: Linux takes 128 KiB, the name included.
pub(super) const MAX_VARIABLE_BYTES: usize = 120 << 10;

/// A keeper is told at least so often that its `divvy run` lives, and thus knows soon when it does not.
pub(super) const LONGEST_BEAT: Duration = Duration::from_secs(1);
