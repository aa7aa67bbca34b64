//! What a member knows when it joins: the view of `divvy_user_data`. The group waits while it is asked: a member allows it 100 ms and
//! 64 KiB, and joins without its word otherwise.

use crate::Values;
use crate::abi::request::UserData;

/// The member that is about to join.
#[derive(Debug)]
pub struct Me<'a> {
    read: UserData<'a>,
}

impl<'a> Me<'a> {
    pub(crate) fn new(read: UserData<'a>) -> Self {
        Me { read }
    }

    /// The group that it joins.
    pub fn group(&self) -> &'a str {
        self.read.group
    }

    /// The protocol that the data goes with.
    pub fn protocol(&self) -> &'a str {
        self.read.protocol
    }

    /// The strategy's configuration.
    pub fn config(&self) -> Values<'a> {
        Values::new(self.read.config)
    }

    /// What it subscribes to.
    pub fn topics(&self) -> &[&'a str] {
        &self.read.topics
    }

    /// Its facts.
    pub fn facts(&self) -> Values<'a> {
        Values::new(self.read.facts)
    }

    /// The state that it got last.
    pub fn last_state(&self) -> Option<&'a [u8]> {
        self.read.last_state
    }

    /// The wall clock in milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.read.now_ms
    }
}
