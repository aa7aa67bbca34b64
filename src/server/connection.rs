//! One connection: what its reader, its writer and the shards share.
//!
//! One task reads: it cuts frames, takes a place for each answer, and hands all requests of one socket read to their
//! shard as one entry. Shards put answers into their places. One task writes them, in the order of the requests. While
//! none is awaited or being written, the reader answers plain heartbeats by itself (`pulse.rs`).

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::Handle;
use super::messages::ToShard;
use super::outbox::{Close, Next, Outbox, Slot};
use super::reader::Reader;
use super::registry::Traffic;
use super::spawn::{self, Loss};
use super::writer::Writer;
use crate::group::{Reply, Ticket};

/// What is shared.
pub(crate) struct Connection {
    id: u64,
    peer: SocketAddr,
    outbox: Mutex<Outbox>,
    /// Told when the front of the outbox may be sent.
    writer: Notify,
    /// Told when the outbox has room again.
    reader: Notify,
    /// See [`Traffic`].
    reads: AtomicU32,
    writes: AtomicU32,
    /// The writer is done: the reader only waits for the peer's end.
    closed: AtomicBool,
    tasks: OnceLock<[AbortHandle; 2]>,
}

impl Connection {
    /// Starts to serve a connection.
    pub(crate) fn start(handle: &Handle, id: u64, stream: TcpStream, peer: SocketAddr) -> Arc<Self> {
        let connection = Arc::new(Self {
            id,
            peer,
            outbox: Mutex::default(),
            writer: Notify::new(),
            reader: Notify::new(),
            reads: AtomicU32::new(0),
            writes: AtomicU32::new(0),
            closed: AtomicBool::new(false),
            tasks: OnceLock::new(),
        });
        let (read, write) = stream.into_split();
        let reader = Reader::new(handle.clone(), Arc::clone(&connection), read);
        let writer = Writer::new(handle.clone(), Arc::clone(&connection), write);
        let tasks =
            [spawn::task("connection", Loss::One, reader.run()), spawn::task("answers", Loss::One, writer.run())];
        let _ = connection.tasks.set(tasks);
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

    /// Takes the next place among the answers.
    pub(crate) fn push(&self, slot: Slot) -> u64 {
        let known = !matches!(slot, Slot::Asked(_));
        let place = self.outbox().push(slot);
        if known {
            self.writer.notify_one();
        }
        place
    }

    /// Puts an answer, or a part of one, into its place.
    pub(crate) fn fill(&self, place: u64, part: u32, reply: Reply) {
        let mut outbox = self.outbox();
        let was_full = outbox.is_full();
        if outbox.fill(place, part, reply) {
            self.writer.notify_one();
        }
        if was_full && !outbox.is_full() {
            self.reader.notify_one();
        }
    }

    /// Notes that a shard keeps a request. False when nobody waits for its answer any more.
    pub(crate) fn park(&self, place: u64, shard: usize, ticket: Ticket) -> bool {
        self.outbox().park(place, shard, ticket)
    }

    /// What the writer does next; it says whether it has anything left to write.
    pub(crate) fn next(&self, has_unwritten: bool, now: impl FnOnce() -> Instant) -> Next {
        let mut outbox = self.outbox();
        outbox.note_unwritten(has_unwritten);
        let was_full = outbox.is_full();
        let next = outbox.next(now);
        if was_full && !outbox.is_full() {
            self.reader.notify_one();
        }
        next
    }

    /// How many requests have no answer on the wire yet.
    pub(crate) fn open(&self) -> usize {
        self.outbox().len()
    }

    /// Whether the reader may send an answer by itself: none is before it.
    pub(crate) fn is_quiet(&self) -> bool {
        self.outbox().is_quiet()
    }

    /// Whether the peer has to take answers before more of its requests are read.
    pub(crate) fn is_full(&self) -> bool {
        self.outbox().is_full()
    }

    /// For the writer: waits until there may be something to write.
    pub(crate) async fn writable(&self) {
        self.writer.notified().await;
    }

    /// For the reader: waits until there may be room.
    pub(crate) async fn told_reader(&self) {
        self.reader.notified().await;
    }

    /// The known answers go out, then it is closed.
    pub(crate) fn finish(&self, handle: &Handle, close: Close) {
        let given_up = self.outbox().finish(close);
        tell_shards(handle, given_up);
        self.writer.notify_one();
    }

    /// Nobody reads or writes any more.
    pub(crate) fn abandon(&self, handle: &Handle) {
        let given_up = self.outbox().abandon();
        tell_shards(handle, given_up);
        self.writer.notify_one();
    }

    /// Ends both tasks where they are.
    pub(crate) fn kill(&self) {
        self.tasks.get().into_iter().flatten().for_each(AbortHandle::abort);
    }

    /// Notes a socket read.
    pub(crate) fn note_read(&self) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a socket write begins or ends.
    pub(crate) fn note_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the writer is done.
    pub(crate) fn note_closed(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Whether the writer is done.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// What who looks for idle and stuck connections wants to see.
    pub(crate) fn traffic(&self) -> Traffic {
        Traffic {
            reads: self.reads.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            open: self.open(),
            closed: self.is_closed(),
        }
    }

    /// A panic while the lock was held killed that task alone; the places themselves are never half changed.
    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell_shards(handle: &Handle, mut given_up: Vec<(usize, Ticket)>) {
    given_up.sort_unstable();
    for of_shard in given_up.chunk_by(|a, b| a.0 == b.0) {
        handle.tell(of_shard[0].0, ToShard::Gone(of_shard.iter().map(|(_, ticket)| *ticket).collect()));
    }
}
