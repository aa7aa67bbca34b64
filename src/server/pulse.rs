//! Plain heartbeats, answered where they are read: no queue entry, no ticket, no task is woken, nothing is allocated.
//!
//! Only on a connection that waits for no other answer, so that requests keep their order, and only while the shard is
//! not at work; otherwise a heartbeat goes the way of all requests.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use bytes::BytesMut;

use super::Handle;
use crate::coordinator::Coordinator;
use crate::ids::Generation;
use crate::time::Timestamp;
use crate::wire::ApiKey;
use crate::wire::plain::PlainHeartbeat;

/// The groups of one shard. Whoever has the lock answers; nobody holds it across a wait.
pub(crate) type Shared = Arc<Mutex<Coordinator>>;

/// The heartbeats of one socket read.
pub(crate) struct Pulse<'a> {
    /// Encoded answers that are not sent yet.
    out: &'a mut BytesMut,
    /// When the read was; asked for once, and only if there is a heartbeat.
    now: Option<Timestamp>,
}

impl<'a> Pulse<'a> {
    /// Begins a socket read; answers go into this buffer.
    pub(crate) fn new(out: &'a mut BytesMut) -> Self {
        Self { out, now: None }
    }

    /// Answers a frame if it is a plain heartbeat and its shard is free. False: nothing was done about it.
    pub(crate) fn answers(&mut self, handle: &Handle, frame: &[u8]) -> bool {
        self.answer(handle, frame).is_some()
    }

    fn answer(&mut self, handle: &Handle, frame: &[u8]) -> Option<()> {
        let heartbeat = PlainHeartbeat::read(frame)?;
        let now = *self.now.get_or_insert_with(|| handle.clock().mono());
        let mut coordinator = match handle.coordinator(handle.shard_of(heartbeat.group)).try_lock() {
            Ok(coordinator) => coordinator,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            Err(TryLockError::WouldBlock) => return None,
        };
        let generation = Generation(heartbeat.generation);
        let error = coordinator.pulse(heartbeat.group, heartbeat.member, generation, now)?;
        drop(coordinator);
        heartbeat.answer(error, self.out);
        handle.metrics().request(ApiKey::Heartbeat);
        handle.metrics().error(ApiKey::Heartbeat, error);
        Some(())
    }
}
