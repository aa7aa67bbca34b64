//! Shape `states`: members with the bytes that they sent, and the bytes that they get.

use std::ops::Range;

use crate::Values;
use crate::abi::reply::{self, Level, Line};
use crate::abi::request::States as Request;
use crate::group::kafkas_order;
use crate::outcome::Outcome;

/// A group whose members get bytes of the application's own.
#[derive(Debug)]
pub struct StateGroup<'a> {
    read: Request<'a>,
    order: Vec<u32>,
}

/// A member.
#[derive(Clone, Copy, Debug)]
pub struct StateMember<'g> {
    group: &'g StateGroup<'g>,
    index: u32,
}

impl<'a> StateGroup<'a> {
    pub(crate) fn new(read: Request<'a>) -> Self {
        let order = kafkas_order(read.members.iter().map(|member| (member.instance_id, member.id)));
        StateGroup { read, order }
    }

    /// The group's id.
    pub fn id(&self) -> &'a str {
        self.read.head.group
    }

    /// The generation that the plan is for.
    pub fn generation(&self) -> i32 {
        self.read.head.generation
    }

    /// The protocol that the group agreed on.
    pub fn protocol(&self) -> &'a str {
        self.read.head.protocol
    }

    /// The same number for every call of one generation of a group: the only randomness that there is.
    pub fn seed(&self) -> u64 {
        self.read.head.seed
    }

    /// The strategy's configuration.
    pub fn config(&self) -> Values<'a> {
        Values::new(self.read.head.config)
    }

    /// Whatever the application hands to its strategy.
    pub fn context(&self) -> Option<&'a [u8]> {
        self.read.context
    }

    /// The wall clock in milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.read.now_ms
    }

    /// What the last accepted plan asked to be remembered.
    pub fn memo(&self) -> Option<&'a [u8]> {
        self.read.memo
    }

    /// The members, by id.
    pub fn members(&self) -> impl ExactSizeIterator<Item = StateMember<'_>> + Clone {
        let members: Range<u32> = 0..self.read.members.len() as u32;
        members.map(|index| StateMember { group: self, index })
    }

    /// The members in Kafka's order: static ones by instance id, then the others by id.
    pub fn members_in_kafkas_order(&self) -> impl ExactSizeIterator<Item = StateMember<'_>> + Clone {
        self.order.iter().map(|&index| StateMember { group: self, index })
    }
}

impl<'g> StateMember<'g> {
    /// Its position by id, from 0.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// Its id.
    pub fn id(self) -> &'g str {
        self.group.read.members[self.index()].id
    }

    /// Its instance id, when it is static.
    pub fn instance_id(self) -> Option<&'g str> {
        self.group.read.members[self.index()].instance_id
    }

    /// What it sent when it joined.
    pub fn metadata(self) -> &'g [u8] {
        self.group.read.members[self.index()].metadata
    }
}

/// The plan: a state for each member. Who is given none gets zero bytes.
pub struct States {
    states: Vec<Vec<u8>>,
    outcome: Outcome,
}

impl States {
    pub(crate) fn new(group: &StateGroup<'_>) -> Self {
        States { states: vec![Vec::new(); group.read.members.len()], outcome: Outcome::default() }
    }

    /// Gives a member its state.
    pub fn give(&mut self, member: StateMember<'_>, state: Vec<u8>) {
        self.states[member.index()] = state;
    }

    /// What to remember for the next call of this group, at most 64 KiB.
    pub fn remember(&mut self, memo: Vec<u8>) {
        self.outcome.memo = Some(memo);
    }

    /// When to make a new plan although nothing changed.
    pub fn call_again_ms(&mut self, ms: u64) {
        self.outcome.call_again_ms = Some(ms);
    }

    /// A line for the log that explains the plan; the host keeps 64 lines and 16 KiB.
    pub fn note(&mut self, level: Level, text: &str) {
        self.outcome.note(level, text);
    }

    pub(crate) fn into_reply(self) -> Vec<u8> {
        let Outcome { memo, call_again_ms, diag, .. } = self.outcome;
        reply::states(&self.states, memo.as_deref(), call_again_ms, &diag)
    }

    pub(crate) fn into_diag(self) -> Vec<Line> {
        self.outcome.diag
    }
}
