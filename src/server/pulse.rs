//! Plain heartbeats, answered where they are read: no queue entry, no ticket, no task is woken, nothing is allocated.
//!
//! Only on a connection that waits for no other answer, so that requests keep their order, and only while the shard is
//! not at work; otherwise a heartbeat goes the way of all requests.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use bytes::{Bytes, BytesMut};

use super::Handle;
use crate::coordinator::Coordinator;
use crate::ids::Generation;
use crate::time::Timestamp;
use crate::wire::frame::{decode_request, put_response};
use crate::wire::header::RequestHeader;
use crate::wire::messages::{HeartbeatRequest, HeartbeatResponse};
use crate::wire::{ApiKey, Reader};

/// The groups of one shard. Whoever has the lock answers; nobody holds it across a wait.
pub(crate) type Shared = Arc<Mutex<Coordinator>>;

/// The heartbeats of one socket read.
#[derive(Default)]
pub(crate) struct Pulse {
    /// Encoded answers that are not sent yet.
    out: BytesMut,
    /// When the read was; asked for once, and only if there is a heartbeat.
    now: Option<Timestamp>,
}

impl Pulse {
    /// Begins a socket read.
    pub(crate) fn begin(&mut self) {
        self.now = None;
    }

    /// Answers a frame if it is a plain heartbeat and its shard is free. False: nothing was done about it.
    pub(crate) fn answers(&mut self, handle: &Handle, frame: &Bytes) -> bool {
        self.answer(handle, frame).is_some()
    }

    fn answer(&mut self, handle: &Handle, frame: &Bytes) -> Option<()> {
        if !frame.starts_with(&ApiKey::Heartbeat.code().to_be_bytes()) {
            return None;
        }
        let mut body = Reader::new(frame.clone());
        // What cannot be read is for those to tell who can close the connection.
        let header = RequestHeader::decode(&mut body).ok()?;
        header.served()?;
        let request: HeartbeatRequest = decode_request(body, header.api_version).ok()?;
        if request.group_instance_id.is_some() || !request.tags.is_empty() {
            return None;
        }
        let now = *self.now.get_or_insert_with(|| handle.clock().mono());
        let mut coordinator = match handle.coordinator(handle.shard_of(&request.group_id)).try_lock() {
            Ok(coordinator) => coordinator,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            Err(TryLockError::WouldBlock) => return None,
        };
        let generation = Generation(request.generation_id);
        let error_code = coordinator.pulse(&request.group_id, &request.member_id, generation, now)?;
        drop(coordinator);
        let answer = HeartbeatResponse { error_code, ..Default::default() };
        put_response(&mut self.out, header.api_version, header.correlation_id, &answer).ok()?;
        handle.metrics().request(ApiKey::Heartbeat);
        handle.metrics().error(ApiKey::Heartbeat, error_code);
        Some(())
    }

    /// What is to be sent.
    pub(crate) fn out(&mut self) -> &mut BytesMut {
        &mut self.out
    }
}
