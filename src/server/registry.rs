//! All open connections: how many there may be, and which have been silent or stuck for too long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Handle;
use super::connection::Connection;
use super::limits::{MAX_CONNECTIONS, MAX_IDLE, SWEEP_INTERVAL, WRITE_TIMEOUT};
use super::outbox::Close;

/// The open connections by their numbers.
#[derive(Default)]
pub(crate) struct Registry(Mutex<Open>);

#[derive(Default)]
struct Open {
    last: u64,
    all: HashMap<u64, Watched>,
}

/// A connection and what the looks at it saw.
struct Watched {
    /// None between the accept and the start.
    connection: Option<Arc<Connection>>,
    seen: Seen,
}

/// What one look at a connection sees.
#[derive(Clone, Copy, Default)]
pub(crate) struct Traffic {
    /// Socket reads so far.
    pub(crate) reads: u32,
    /// Socket writes so far, two for each: odd while one is under way.
    pub(crate) writes: u32,
    /// Requests without an answer on the wire.
    pub(crate) open: usize,
    /// Whether the writer is done.
    pub(crate) closed: bool,
}

/// What the looks so far saw.
#[derive(Default)]
struct Seen {
    reads: u32,
    writes: u32,
    /// Looks in a row that saw no read.
    silent: u32,
    /// Looks in a row that saw the same write under way.
    stuck: u32,
    /// Looks since the writer was done.
    closed: u32,
}

/// What is to be done about a connection.
#[derive(PartialEq, Eq, Debug)]
enum Verdict {
    Fine,
    /// The peer was told that it is over, and does not close.
    Over,
    End(Close),
}

/// How many looks a time is.
const fn looks(time: std::time::Duration) -> u32 {
    (time.as_secs() / SWEEP_INTERVAL.as_secs()) as u32
}

impl Registry {
    /// A number for a new connection, if there may be one more.
    pub(crate) fn enter(&self) -> Option<u64> {
        let mut open = self.open();
        if open.all.len() >= MAX_CONNECTIONS {
            return None;
        }
        open.last += 1;
        let id = open.last;
        open.all.insert(id, Watched { connection: None, seen: Seen::default() });
        Some(id)
    }

    /// The connection of that number was started.
    pub(crate) fn started(&self, connection: Arc<Connection>) {
        if let Some(watched) = self.open().all.get_mut(&connection.id()) {
            watched.connection = Some(connection);
        }
    }

    /// The connection of that number is gone.
    pub(crate) fn leave(&self, id: u64) {
        // Its last owner may be here: it is dropped when the lock is free again.
        let _gone = self.open().all.remove(&id);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.open().all.len()
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Arc<Connection>> {
        self.open().all.values().filter_map(|watched| watched.connection.clone()).collect()
    }

    /// Looks at every connection, as often as [`SWEEP_INTERVAL`] says.
    pub(crate) fn sweep(&self, handle: &Handle) {
        let look = |watched: &mut Watched| {
            let connection = watched.connection.as_ref()?;
            Some((watched.seen.look(connection.look()), Arc::clone(connection)))
        };
        // Collected first: ending a connection takes the lock again.
        let verdicts: Vec<_> = self.open().all.values_mut().filter_map(look).collect();
        for (verdict, connection) in verdicts {
            match verdict {
                Verdict::Fine => {}
                Verdict::Over => connection.kill(),
                Verdict::End(close) => {
                    handle.tell_closed(connection.peer(), &close);
                    connection.kill();
                }
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn look(&mut self, now: Traffic) -> Verdict {
        let is_writing = now.writes % 2 == 1;
        self.silent = if now.reads == self.reads { self.silent + 1 } else { 0 };
        self.stuck = if is_writing && now.writes == self.writes { self.stuck + 1 } else { 0 };
        self.closed += u32::from(now.closed);
        (self.reads, self.writes) = (now.reads, now.writes);
        if self.closed > 1 {
            Verdict::Over
        } else if self.stuck > looks(WRITE_TIMEOUT) {
            let reason = format!("the client took none of its answers for {} s", WRITE_TIMEOUT.as_secs());
            Verdict::End(Close { kind: "slow_reader", reason })
        } else if self.silent > looks(MAX_IDLE) && now.open == 0 {
            let reason = format!("no request for {} s", MAX_IDLE.as_secs());
            Verdict::End(Close { kind: "idle", reason })
        } else {
            Verdict::Fine
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdicts of so many looks at the same traffic, without the harmless ones.
    fn verdicts(traffic: Traffic, times: u32) -> Vec<&'static str> {
        let mut seen = Seen::default();
        let mut look = || match seen.look(traffic) {
            Verdict::Fine => None,
            Verdict::Over => Some("over"),
            Verdict::End(close) => Some(close.kind),
        };
        (0..times).filter_map(|_| look()).collect()
    }

    #[test]
    fn a_connection_may_be_silent_for_ten_minutes_and_longer_while_it_waits() {
        assert_eq!(verdicts(Traffic::default(), looks(MAX_IDLE)), [""; 0]);
        assert_eq!(verdicts(Traffic::default(), looks(MAX_IDLE) + 1), ["idle"]);
        assert_eq!(verdicts(Traffic { open: 1, ..Traffic::default() }, 10 * looks(MAX_IDLE)), [""; 0]);
    }

    #[test]
    fn a_write_that_makes_no_progress_ends() {
        let writing = Traffic { writes: 3, open: 1, ..Traffic::default() };
        assert_eq!(verdicts(writing, looks(WRITE_TIMEOUT) + 2), ["slow_reader"]);
        assert_eq!(verdicts(Traffic { writes: 4, ..writing }, 100), [""; 0]);
    }

    #[test]
    fn who_does_not_close_after_the_last_answer_is_closed() {
        assert_eq!(verdicts(Traffic { closed: true, ..Traffic::default() }, 2), ["over"]);
    }
}
