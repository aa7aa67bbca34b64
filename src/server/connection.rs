//! One connection: what its reader and the shards share.
//!
//! One task reads: it cuts frames, takes a place for each answer, and hands all requests of one socket read to their
//! shard as one entry. Shards put answers into their places, and send them when their turn ends, in the order of the
//! requests (`line.rs`). While none is awaited or being written, the reader answers plain heartbeats by itself
//! (`pulse.rs`).

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::BytesMut;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::Handle;
use super::line::{Line, Rest};
use super::messages::ToShard;
use super::outbox::{Close, Next, Slot};
use super::reader::Reading;
use super::registry::Traffic;
use super::spawn::{self, Loss};
use super::writer::Writer;
use crate::group::{Reply, Ticket};

/// What is shared.
pub(crate) struct Connection {
    id: u64,
    peer: SocketAddr,
    line: Mutex<Line>,
    /// Tells a writer that waits for an answer's time that the front of the outbox may be sent.
    writer: Notify,
    /// Told when the outbox has room again.
    reader: Notify,
    /// A shard sends when its turn ends: it has been noted there.
    is_noted: AtomicBool,
    /// See [`Traffic`].
    reads: AtomicU32,
    writes: AtomicU32,
    /// No request comes any more: the reader waits until all are answered.
    is_ending: AtomicBool,
    /// Nobody writes any more: the reader only waits for the peer's end.
    closed: AtomicBool,
    task: OnceLock<AbortHandle>,
}

impl Connection {
    /// Starts to serve a connection.
    pub(crate) fn start(handle: &Handle, id: u64, stream: TcpStream, peer: SocketAddr) -> Arc<Self> {
        let (read, write) = stream.into_split();
        let connection = Arc::new(Self {
            id,
            peer,
            line: Mutex::new(Line::new(write)),
            writer: Notify::new(),
            reader: Notify::new(),
            is_noted: AtomicBool::new(false),
            reads: AtomicU32::new(0),
            writes: AtomicU32::new(0),
            is_ending: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            task: OnceLock::new(),
        });
        let reading = Reading::new(handle.clone(), Arc::clone(&connection), read);
        let _ = connection.task.set(spawn::connection(reading));
        connection
    }

    /// Its number.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The other side.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// The other side's address, as groups show it.
    pub(crate) fn host(&self) -> IpAddr {
        self.peer.ip()
    }

    /// Takes the next place among the answers. Who takes the last one of several sends them.
    pub(crate) fn push(&self, slot: Slot) -> u64 {
        self.line().outbox.push(slot)
    }

    /// Puts an answer, or a part of one, into its place. True when something may be sent and that was not noted yet.
    pub(crate) fn fill(&self, place: u64, part: u32, reply: Reply) -> bool {
        let outbox = &mut self.line().outbox;
        let was_full = outbox.is_full();
        let is_next = outbox.fill(place, part, reply);
        if was_full && !outbox.is_full() {
            self.reader.notify_one();
        }
        is_next && !self.is_noted.swap(true, Ordering::AcqRel)
    }

    /// Sends what is known, in order; what the socket does not take is left to a task.
    pub(crate) fn flush(self: &Arc<Self>, handle: &Handle) {
        self.is_noted.store(false, Ordering::Release);
        let mut line = self.line();
        if line.is_taken() {
            drop(line);
            return self.writer.notify_one();
        }
        let was_full = line.outbox.is_full();
        let outcome = line.flush(handle);
        if was_full && !line.outbox.is_full() {
            self.reader.notify_one();
        }
        match outcome {
            Ok(None) => self.tell_of_rest(),
            Ok(Some(rest)) => self.leave(&mut line, handle, rest),
            Err(_) => {
                drop(line);
                self.kill();
            }
        }
    }

    /// Sends what the reader encoded itself; only while [`Self::is_quiet`].
    pub(crate) fn send(self: &Arc<Self>, handle: &Handle, out: &mut BytesMut) -> std::io::Result<()> {
        let mut line = self.line();
        if let Some(rest) = line.send(handle, out)? {
            self.leave(&mut line, handle, rest);
        }
        Ok(())
    }

    fn leave(self: &Arc<Self>, line: &mut Line, handle: &Handle, rest: Rest) {
        let writer = Writer::new(handle.clone(), Arc::clone(self), rest);
        line.left_to(spawn::task("answers", Loss::One, writer.run()));
    }

    /// Notes that a shard keeps a request. False when nobody waits for its answer any more.
    pub(crate) fn park(&self, place: u64, shard: usize, ticket: Ticket) -> bool {
        self.line().outbox.park(place, shard, ticket)
    }

    /// What the writer does next; it says whether it has anything left to write, and loses its socket if nothing is left.
    pub(crate) fn next(
        &self,
        half: &mut Option<OwnedWriteHalf>,
        has_unwritten: bool,
        now: impl FnOnce() -> Instant,
    ) -> Next {
        let mut line = self.line();
        let was_full = line.outbox.is_full();
        let next = line.next_for_task(half, has_unwritten, now);
        if was_full && !line.outbox.is_full() {
            self.reader.notify_one();
        }
        if half.is_none() {
            self.tell_of_rest();
        }
        next
    }

    fn tell_of_rest(&self) {
        if self.is_ending.load(Ordering::Acquire) {
            self.reader.notify_one();
        }
    }

    /// No request comes any more. Those that wait for other members are given up, and what is behind them: somebody who
    /// joins and hangs up does not keep a group waiting.
    pub(crate) fn end_requests(&self, handle: &Handle) {
        let given_up = self.line().outbox.give_up_waiting();
        self.is_ending.store(true, Ordering::Release);
        tell_shards(handle, given_up);
    }

    /// Whether the reader may send an answer by itself: none is before it.
    pub(crate) fn is_quiet(&self) -> bool {
        self.line().is_quiet()
    }

    /// Whether the peer has to take answers before more of its requests are read.
    pub(crate) fn is_full(&self) -> bool {
        self.line().outbox.is_full()
    }

    /// For the writer: waits until there may be something to write.
    pub(crate) async fn told_writer(&self) {
        self.writer.notified().await;
    }

    /// For the reader: waits until there may be room.
    pub(crate) async fn told_reader(&self) {
        self.reader.notified().await;
    }

    /// The known answers go out, then it is closed.
    pub(crate) fn finish(self: &Arc<Self>, handle: &Handle, close: Close) {
        let given_up = self.line().outbox.finish(close);
        tell_shards(handle, given_up);
        self.flush(handle);
        // One that waits for room need not any more.
        self.reader.notify_one();
    }

    /// Nobody reads or writes any more.
    pub(crate) fn abandon(&self, handle: &Handle) {
        let given_up = {
            let mut line = self.line();
            line.end();
            line.outbox.abandon()
        };
        self.note_closed();
        tell_shards(handle, given_up);
    }

    /// Ends its tasks where they are.
    pub(crate) fn kill(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
        self.line().end();
    }

    /// Notes a socket read.
    pub(crate) fn note_read(&self) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a socket write begins or ends.
    pub(crate) fn note_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that nobody writes any more.
    pub(crate) fn note_closed(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.tell_of_rest();
    }

    /// Whether nobody writes any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// What who looks for idle and stuck connections wants to see. Memory that waits for the next requests goes: who asks
    /// often gets it again soon.
    pub(crate) fn look(&self) -> Traffic {
        let open = {
            let outbox = &mut self.line().outbox;
            outbox.release();
            outbox.len()
        };
        Traffic {
            reads: self.reads.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            open,
            closed: self.is_closed(),
        }
    }

    /// A panic while the lock was held killed that task alone; the places themselves are never half changed.
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell_shards(handle: &Handle, mut given_up: Vec<(usize, Ticket)>) {
    given_up.sort_unstable();
    for of_shard in given_up.chunk_by(|a, b| a.0 == b.0) {
        handle.tell(of_shard[0].0, ToShard::Gone(of_shard.iter().map(|(_, ticket)| *ticket).collect()));
    }
}
