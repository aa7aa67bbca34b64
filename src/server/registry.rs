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

/// A connection and what the last look at it saw.
struct Watched {
    /// None between the accept and the start.
    connection: Option<Arc<Connection>>,
    reads: u32,
    writes: u32,
    /// Looks in a row that saw no read.
    silent: u32,
    /// Looks in a row that saw the same write under way.
    stuck: u32,
    /// Looks since the writer was done.
    closed: u32,
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
        open.all.insert(id, Watched { connection: None, reads: 0, writes: 0, silent: 0, stuck: 0, closed: 0 });
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
        let mut ends = Vec::new();
        for watched in self.open().all.values_mut() {
            if let Some(end) = watched.look() {
                ends.push(end);
            }
        }
        for (connection, close) in ends {
            if let Some(close) = close {
                handle.tell_closed(connection.peer(), &close);
            }
            connection.kill();
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    /// The connection, if it is to be ended, and the reason unless that was told already.
    fn look(&mut self) -> Option<(Arc<Connection>, Option<Close>)> {
        let connection = self.connection.as_ref()?;
        let (reads, writes) = connection.traffic();
        let is_writing = writes % 2 == 1;
        self.silent = if reads == self.reads { self.silent + 1 } else { 0 };
        self.stuck = if is_writing && writes == self.writes { self.stuck + 1 } else { 0 };
        self.closed += u32::from(connection.is_closed());
        (self.reads, self.writes) = (reads, writes);
        let close = if self.closed > 1 {
            None
        } else if self.stuck > looks(WRITE_TIMEOUT) {
            let reason = format!("the client took none of its answers for {} s", WRITE_TIMEOUT.as_secs());
            Some(Close { kind: "slow_reader", reason })
        } else if self.silent > looks(MAX_IDLE) && connection.open() == 0 {
            Some(Close { kind: "idle", reason: format!("no request for {} s", MAX_IDLE.as_secs()) })
        } else {
            if self.silent == 1 {
                connection.tell_reader();
            }
            return None;
        };
        Some((Arc::clone(connection), close))
    }
}
