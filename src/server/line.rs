//! The way out of a connection: answers in order, and the socket that takes them.
//!
//! Whoever brings an answer sends it at once, as far as the socket takes it: no task is woken for it. Only what has to
//! wait, for the socket or for its time, is left to a task of its own (`writer.rs`), which has the socket meanwhile and
//! gives it back when nothing is left. So a connection at rest is one task and no buffer.

use std::io::{ErrorKind, Result};

use bytes::{Buf, BytesMut};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::Handle;
use super::api::Asked;
use super::limits::WRITE_BATCH_BYTES;
use super::outbox::{Close, Next, Outbox, Slot};
use super::scratch;

/// Answers and socket.
pub(crate) struct Line {
    /// The answers.
    pub(crate) outbox: Outbox,
    /// Where they go; none while a task writes, and after the end.
    half: Option<OwnedWriteHalf>,
    /// The last task that wrote.
    task: Option<AbortHandle>,
}

/// What is left to a task.
pub(crate) struct Rest {
    /// The socket.
    pub(crate) half: OwnedWriteHalf,
    /// Encoded, and not taken yet.
    pub(crate) out: BytesMut,
    /// What comes behind that.
    pub(crate) next: Option<Next>,
}

/// What is encoded, and what comes behind it.
type Left = (BytesMut, Option<Next>);

impl Line {
    /// Nothing is to be sent yet.
    pub(crate) fn new(half: OwnedWriteHalf) -> Self {
        Self { outbox: Outbox::default(), half: Some(half), task: None }
    }

    /// Whether what is sent now overtakes no answer.
    pub(crate) fn is_quiet(&self) -> bool {
        self.half.is_some() && self.outbox.is_quiet()
    }

    /// Whether a task writes, or nobody does any more.
    pub(crate) fn is_taken(&self) -> bool {
        self.half.is_none()
    }

    /// Sends the answers that are known, in order. An error: the peer is gone.
    pub(crate) fn flush(&mut self, handle: &Handle) -> Result<Option<Rest>> {
        let Some(half) = self.half.take() else { return Ok(None) };
        let outbox = &mut self.outbox;
        let left = scratch::with_out(|out| -> Result<Option<Left>> {
            let next = drain(outbox, &half, handle, out)?;
            let is_done = matches!(next, Next::Wait) && write(&half, handle, out)?;
            Ok(if is_done { None } else { Some((std::mem::take(out), Some(next))) })
        })?;
        Ok(self.leave(half, left))
    }

    /// Sends what was encoded elsewhere; only while it is quiet.
    pub(crate) fn send(&mut self, handle: &Handle, out: &mut BytesMut) -> Result<Option<Rest>> {
        let Some(half) = self.half.take() else { return Ok(None) };
        let is_sent = write(&half, handle, out)?;
        Ok(self.leave(half, (!is_sent).then(|| (std::mem::take(out), None))))
    }

    fn leave(&mut self, half: OwnedWriteHalf, left: Option<Left>) -> Option<Rest> {
        match left {
            None => {
                self.half = Some(half);
                None
            }
            Some((out, next)) => Some(Rest { half, out, next }),
        }
    }

    /// A task has the rest.
    pub(crate) fn left_to(&mut self, task: AbortHandle) {
        self.task = Some(task);
    }

    /// For the task: what is next. When there is nothing, and it has nothing in hand, the socket is given back.
    pub(crate) fn next_for_task(
        &mut self,
        half: &mut Option<OwnedWriteHalf>,
        has_unwritten: bool,
        now: impl FnOnce() -> Instant,
    ) -> Next {
        let next = self.outbox.next(now);
        if matches!(next, Next::Wait) && !has_unwritten {
            self.half = half.take();
            // It ends now; who has its handle has all its memory.
            self.task = None;
        }
        next
    }

    /// Nobody writes any more.
    pub(crate) fn end(&mut self) {
        self.half = None;
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

/// Encodes and sends what is known and short, and says what comes behind it.
fn drain(outbox: &mut Outbox, half: &OwnedWriteHalf, handle: &Handle, out: &mut BytesMut) -> Result<Next> {
    loop {
        match outbox.next(|| now(handle)) {
            Next::Send(Slot::Asked(asked)) => {
                if let Err(close) = encode(*asked, handle, out) {
                    return Ok(Next::Close(Some(close)));
                }
            }
            Next::Send(Slot::Ready(answer) | Slot::NotBefore(_, answer)) if answer.len() < WRITE_BATCH_BYTES => {
                out.extend_from_slice(&answer);
            }
            next => return Ok(next),
        }
        if out.len() >= WRITE_BATCH_BYTES && !write(half, handle, out)? {
            return Ok(Next::Wait);
        }
    }
}

/// Encodes an answer of a group.
pub(crate) fn encode(asked: Asked, handle: &Handle, out: &mut BytesMut) -> std::result::Result<(), Close> {
    let unwritable = |error| Close { kind: "encode", reason: format!("an answer cannot be written: {error}") };
    asked.encode(handle, out).map_err(unwritable)
}

/// The moment.
pub(crate) fn now(handle: &Handle) -> Instant {
    let clock = handle.clock();
    clock.instant(clock.mono())
}

/// Whether the socket took it all; what it did not stays.
fn write(half: &OwnedWriteHalf, handle: &Handle, out: &mut BytesMut) -> Result<bool> {
    let mut sent = 0;
    while sent < out.len() {
        match half.try_write(&out[sent..]) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                handle.metrics().bytes_out(sent);
                out.advance(sent);
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
    }
    handle.metrics().bytes_out(sent);
    out.clear();
    Ok(true)
}
