//! The reading half of a connection.

use std::future::poll_fn;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;

use super::Handle;
use super::api::Peer;
use super::connection::Connection;
use super::dispatch::{self, Step};
use super::limits::{FRAME_PARTS, FRAME_TIMEOUT, FREE_FRAME_BYTES, HALF_CLOSED_TIMEOUT, KEPT_BYTES};
use super::memory::Held;
use super::messages::{Pending, Request, Requests, ToShard};
use super::outbox::{Close, Slot};
use super::pulse::Pulse;
use super::scratch;
use crate::ids::GroupId;
use crate::wire::frame::{Foreign, FrameError, FrameLimit, Framer};

/// The task.
pub(crate) struct Reader {
    half: OwnedReadHalf,
    framer: Framer,
    peer: Peer,
    /// Memory that was set aside for a large frame which is still arriving.
    reserved: Option<Held>,
    batch: Batch,
    pulse: Pulse,
    /// Last, so that it leaves after everything else is gone.
    place: Place,
}

/// The reader's place in the server: when the task ends, however it ends, the connection is given up.
struct Place {
    handle: Handle,
    connection: Arc<Connection>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connection.abandon(&self.handle);
        self.handle.registry().leave(self.connection.id());
    }
}

/// The requests of one socket read.
#[derive(Default)]
struct Batch {
    first: Option<(usize, Request)>,
    more: Vec<(usize, Request)>,
    memory: Held,
    /// Some have an answer already.
    has_answers: bool,
}

/// What ends the reading of a connection.
enum End {
    /// The peer sends nothing more; it may still read.
    Peer,
    /// The connection is lost.
    Lost,
    /// The server stops.
    Stop,
    /// The server closes.
    Close(Close),
}

impl Reader {
    /// A reader of a new connection.
    pub(crate) fn new(handle: Handle, connection: Arc<Connection>, half: OwnedReadHalf) -> Self {
        Self {
            half,
            framer: Framer::new(FrameLimit::REQUESTS),
            peer: Peer::new(connection.host()),
            reserved: None,
            batch: Batch::default(),
            pulse: Pulse::default(),
            place: Place { handle, connection },
        }
    }

    /// Reads until the connection ends.
    pub(crate) async fn run(mut self) {
        let close = loop {
            match self.turn().await {
                Ok(()) => {}
                Err(End::Peer) => return self.answer_the_last().await,
                Err(End::Lost) => return,
                Err(End::Stop) => return self.discard().await,
                Err(End::Close(close)) => break close,
            }
        };
        self.place.connection.push(Slot::Close(close));
        self.place.connection.flush(&self.place.handle);
        self.discard().await;
    }

    /// The requests that came before the peer's end get their answers, but for those that wait for other members.
    async fn answer_the_last(&self) {
        let Place { handle, connection } = &self.place;
        connection.end_requests(handle);
        let answered = async {
            while !connection.is_quiet() && !connection.is_closed() {
                connection.told_reader().await;
            }
        };
        let _ = tokio::time::timeout(HALF_CLOSED_TIMEOUT, answered).await;
    }

    /// One socket read and what it brings.
    async fn turn(&mut self) -> Result<(), End> {
        let count = self.read().await.map_err(|_| End::Lost)?;
        self.note(count)?;
        self.pulse.begin();
        loop {
            let outcome = self.frames().await;
            self.send();
            outcome?;
            if !self.large_frame().await? {
                self.framer.release();
                return Ok(());
            }
        }
    }

    fn note(&self, count: usize) -> Result<(), End> {
        self.place.connection.note_read();
        self.place.handle.metrics().bytes_in(count);
        if count == 0 { Err(End::Peer) } else { Ok(()) }
    }

    /// Reads what is there.
    async fn read(&mut self) -> std::io::Result<usize> {
        let arrived = poll_fn(|context| scratch::poll_read(&mut self.half, context)).await?;
        let count = arrived.len();
        self.framer.take(arrived);
        Ok(count)
    }

    async fn frames(&mut self) -> Result<(), End> {
        if self.place.connection.is_quiet() {
            while self.framer.peek().is_some_and(|frame| self.pulse.answers(&self.place.handle, frame)) {
                self.framer.skip();
            }
            self.answer()?;
        }
        while let Some(frame) = self.framer.frame().map_err(|error| End::Close(foreign(&error)))? {
            self.count(&frame).await;
            while self.place.connection.is_full() {
                self.send();
                self.place.connection.told_reader().await;
            }
            let handle = &self.place.handle;
            if handle.is_stopping() {
                return Err(End::Stop);
            }
            match dispatch::dispatch(handle, &mut self.peer, frame).map_err(End::Close)? {
                Step::Answer(slot) => self.known(slot),
                Step::Ask(asked, group, what) => {
                    let place = self.place.connection.push(Slot::Asked(Box::new(asked)));
                    self.ask(place, 0, group, what);
                }
                Step::AskMany(asked, parts) => {
                    let place = self.place.connection.push(Slot::Asked(Box::new(asked)));
                    (0..).zip(parts).for_each(|(part, (group, what))| self.ask(place, part, group, what));
                }
                Step::Later(answer) => {
                    self.send();
                    let answer = answer.await.map_err(End::Close)?;
                    self.known(Slot::Ready(answer.head));
                    if !answer.rest.is_empty() {
                        self.known(Slot::Ready(answer.rest));
                    }
                }
            }
        }
        Ok(())
    }

    /// Sends the answers to plain heartbeats with one write.
    fn answer(&mut self) -> Result<(), End> {
        let out = self.pulse.out();
        if out.is_empty() {
            return Ok(());
        }
        self.place.connection.send(&self.place.handle, out).map_err(|_| End::Lost)?;
        if out.capacity() > KEPT_BYTES {
            *out = BytesMut::new();
        }
        Ok(())
    }

    fn known(&mut self, slot: Slot) {
        self.place.connection.push(slot);
        self.batch.has_answers = true;
    }

    fn ask(&mut self, place: u64, part: u32, group: GroupId, what: Pending) {
        let shard = self.place.handle.shard_of(group.as_str());
        let request = Request { place, part, group, what };
        match self.batch.first {
            None => self.batch.first = Some((shard, request)),
            Some(_) => self.batch.more.push((shard, request)),
        }
    }

    /// Sends the answers that are known, and hands the questions to the shards: one entry for each.
    fn send(&mut self) {
        let Batch { first, more, memory, has_answers } = std::mem::take(&mut self.batch);
        let (handle, connection) = (&self.place.handle, &self.place.connection);
        if has_answers {
            connection.flush(handle);
        }
        let Some((shard, request)) = first else { return };
        if more.is_empty() {
            handle.tell(shard, ToShard::Requests(Arc::clone(connection), Requests::One(request), memory));
            return;
        }
        let mut by_shard: Vec<Vec<Request>> = Vec::new();
        by_shard.resize_with(handle.shards(), Vec::new);
        for (shard, request) in std::iter::once((shard, request)).chain(more) {
            by_shard[shard].push(request);
        }
        // One of the entries holds it: they are handled at about the same time.
        let mut memory = memory;
        for (shard, requests) in by_shard.into_iter().enumerate().filter(|(_, requests)| !requests.is_empty()) {
            handle.tell(
                shard,
                ToShard::Requests(Arc::clone(connection), Requests::Many(requests), std::mem::take(&mut memory)),
            );
        }
    }

    /// Counts a frame's bytes for as long as its request is not handled. A large one was counted before it came.
    async fn count(&mut self, frame: &Bytes) {
        let permit = match self.reserved.take() {
            Some(reserved) => reserved,
            None => match self.place.handle.memory().take(frame.len()) {
                Ok(permit) => permit,
                // Never wait with requests in hand: what they hold is what others wait for.
                Err(full) => {
                    self.send();
                    full.wait().await
                }
            },
        };
        self.batch.memory.add(permit);
    }

    /// Reads a large frame that has begun to arrive: sets memory aside for it first, and gives it a time limit. False
    /// when there is none.
    async fn large_frame(&mut self) -> Result<bool, End> {
        let Some(length) = self.announced().filter(|length| *length > FREE_FRAME_BYTES) else { return Ok(false) };
        let most = self.place.handle.max_request_bytes();
        if length > most {
            let reason = format!("a frame of {length} bytes; socket.request.max.bytes = {most}");
            return Err(End::Close(Close { kind: "frame", reason }));
        }
        self.reserved = Some(match self.place.handle.memory().take(length) {
            Ok(permit) => permit,
            Err(full) => full.wait().await,
        });
        for part in 1..=FRAME_PARTS as usize {
            let upto = (length + 4).div_ceil(FRAME_PARTS as usize) * part;
            match tokio::time::timeout(FRAME_TIMEOUT / FRAME_PARTS, self.arrived(upto.min(length + 4))).await {
                Ok(read) => read?,
                Err(_) => {
                    let pace = FRAME_TIMEOUT.as_secs();
                    let reason = format!("a frame of {length} bytes comes too slowly to be whole within {pace} s");
                    return Err(End::Close(Close { kind: "slow_frame", reason }));
                }
            }
        }
        Ok(true)
    }

    /// The length of a frame that has begun to arrive, once the framer has seen enough of it to judge its length.
    fn announced(&self) -> Option<usize> {
        const LENGTH_AND_KEY: usize = 6;
        if !self.framer.is_mid_frame() {
            return None;
        }
        let begun = self.framer.begun();
        let head = begun.first_chunk::<4>().filter(|_| begun.len() >= LENGTH_AND_KEY)?;
        usize::try_from(i32::from_be_bytes(*head)).ok()
    }

    async fn arrived(&mut self, upto: usize) -> Result<(), End> {
        while self.framer.room().len() < upto {
            let count = self.half.read_buf(self.framer.room()).await.map_err(|_| End::Lost)?;
            self.note(count)?;
        }
        Ok(())
    }

    /// Reads on without looking, so that the answers before the end are not lost to a reset; who looks for idle
    /// connections ends it.
    async fn discard(&mut self) {
        loop {
            let nothing = self.framer.room();
            nothing.clear();
            if !matches!(self.half.read_buf(nothing).await, Ok(1..)) {
                return;
            }
        }
    }
}

fn foreign(error: &FrameError) -> Close {
    let kind = match error.looks_like {
        Some(Foreign::Tls) => "tls",
        Some(Foreign::Http) => "http",
        None => "frame",
    };
    Close { kind, reason: error.to_string() }
}
