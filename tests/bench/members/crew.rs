//! Members of one kind, in one process: each is started and stopped by its name, and tells what it has.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::ledger::{Ledger, News};

/// All members look so often whether there is a rebalance. With the libraries' own 3 s a restart of fifty would take an hour, in
/// which the same moves: only the times are longer, each member's by as much.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

/// A busy machine does not end one.
pub const SESSION: Duration = Duration::from_secs(30);

/// A group that has not settled by then never will.
const LIMIT: Duration = Duration::from_secs(120);

/// What a kind of member can do.
pub trait Kind {
    /// A member joins; with an instance id if it is a static one.
    fn start(&mut self, name: &str, instance: Option<&str>) -> Result<()>;
    /// It leaves in good order.
    fn stop(&mut self, name: &str) -> Result<()>;
}

/// Members of one kind and what they have said.
pub struct Crew<K> {
    /// Who starts and stops them.
    pub kind: K,
    news: Receiver<News>,
    /// Who has what.
    pub ledger: Ledger,
}

impl<K: Kind> Crew<K> {
    /// Nobody yet.
    pub fn new(kind: K, news: Receiver<News>) -> Self {
        Self { kind, news, ledger: Ledger::default() }
    }

    /// A member joins.
    pub fn start(&mut self, name: &str, instance: Option<&str>) -> Result<()> {
        self.kind.start(name, instance)
    }

    /// A member is told to leave.
    pub fn order_stop(&mut self, name: &str) -> Result<()> {
        self.kind.stop(name)
    }

    /// A member leaves; waits until it has.
    pub fn stop(&mut self, name: &str) -> Result<()> {
        self.stop_as(name, name)
    }

    /// The same of one that goes by another name in what is told: a static member.
    pub fn stop_as(&mut self, name: &str, told: &str) -> Result<()> {
        self.kind.stop(name)?;
        self.until(&format!("{name} to leave"), |ledger| !ledger.members.contains_key(told))
    }

    /// Waits until all partitions are shared evenly by so many.
    pub fn settle(&mut self, members: usize, partitions: usize) -> Result<()> {
        self.until("the group to settle", |ledger| ledger.is_settled(members, partitions))
    }

    /// Takes note of what is said until it is so.
    pub fn until(&mut self, what: &str, is_so: impl Fn(&Ledger) -> bool) -> Result<()> {
        let end = Instant::now() + LIMIT;
        while !is_so(&self.ledger) {
            match self.news.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(news) => self.ledger.note(news),
                Err(RecvTimeoutError::Timeout) => {
                    let owned: Vec<_> = self.ledger.members.iter().map(|(name, owns)| (name, owns.len())).collect();
                    bail!("waited {} s for {what}, in vain: {owned:?}", LIMIT.as_secs());
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the members are gone before {what}"),
            }
        }
        Ok(())
    }
}
