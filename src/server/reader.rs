//! The reading half of a connection.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;

use super::Handle;
use super::api::Peer;
use super::connection::Connection;
use super::dispatch::{self, Step};
use super::limits::{FRAME_PARTS, FRAME_TIMEOUT, FREE_FRAME_BYTES, HALF_CLOSED_TIMEOUT};
use super::memory::Held;
use super::messages::{Pending, Request, Requests, ToShard};
use super::outbox::{Close, Slot};
use super::pulse::Pulse;
use super::scratch::{self, Arrived};
use crate::ids::GroupId;
use crate::wire::frame::{Foreign, FrameError, FrameLimit, Framer};

/// The task: a connection at rest is a reader and no more. What else a socket read brings than plain heartbeats is work,
/// which has a state of its own, made for it and gone with it.
pub(crate) enum Reading {
    /// It waits for the peer.
    Rest(Reader),
    /// It does what the last socket read brought; gives the reader back unless the connection is over.
    Work(Pin<Box<dyn Future<Output = Option<Reader>> + Send>>),
    /// Nothing is read any more.
    Over,
}

/// What reads a connection.
pub(crate) struct Reader {
    half: OwnedReadHalf,
    /// None while nothing of an unfinished frame waits.
    framer: Option<Box<Framer>>,
    peer: Peer,
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
    /// Memory that was set aside for a large frame which is still arriving.
    reserved: Option<Held>,
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

impl Reading {
    /// The task of a new connection.
    pub(crate) fn new(handle: Handle, connection: Arc<Connection>, half: OwnedReadHalf) -> Self {
        Self::Rest(Reader {
            half,
            framer: None,
            peer: Peer::new(connection.host()),
            place: Place { handle, connection },
        })
    }

    /// Has the reader work on what came.
    fn begin(&mut self, came: Result<(), End>) {
        if let Self::Rest(reader) = std::mem::replace(self, Self::Over) {
            *self = Self::Work(Box::pin(reader.work(came)));
        }
    }
}

impl Future for Reading {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            match &mut *self {
                Self::Rest(reader) => match ready!(reader.poll_heartbeats(context)) {
                    Ok(false) => {}
                    Ok(true) => self.begin(Ok(())),
                    Err(end) => self.begin(Err(end)),
                },
                Self::Work(work) => {
                    let reader = ready!(work.as_mut().poll(context));
                    *self = reader.map_or(Self::Over, Self::Rest);
                }
                Self::Over => return Poll::Ready(()),
            }
        }
    }
}

impl Reader {
    /// One socket read, with the answers to the plain heartbeats at its start. True if it brought more.
    fn poll_heartbeats(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, End>> {
        let Place { handle, connection } = &self.place;
        let is_first = self.framer.is_none();
        let serve = |arrived: &[u8]| if is_first { heartbeats(handle, connection, arrived) } else { Ok(0) };
        let Ok(Arrived { count, rest }) = ready!(scratch::poll_read(&mut self.half, context, serve)) else {
            return Poll::Ready(Err(End::Lost));
        };
        let has_more = rest.is_some();
        if let Some(rest) = rest {
            self.framer().take(rest);
        }
        Poll::Ready(self.note(count).map(|()| has_more))
    }

    /// Does what came; gives itself back unless the connection is over.
    async fn work(mut self, came: Result<(), End>) -> Option<Self> {
        let outcome = match came {
            Ok(()) => self.requests().await,
            Err(end) => Err(end),
        };
        match outcome {
            Ok(()) => return Some(self),
            Err(End::Peer) => self.answer_the_last().await,
            Err(End::Lost) => {}
            Err(End::Stop) => self.discard().await,
            Err(End::Close(close)) => {
                self.place.connection.push(Slot::Close(close));
                self.place.connection.flush(&self.place.handle);
                self.discard().await;
            }
        }
        None
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

    /// What is left of a socket read behind plain heartbeats.
    async fn requests(&mut self) -> Result<(), End> {
        let mut batch = Batch::default();
        loop {
            let outcome = self.frames(&mut batch).await;
            self.send(&mut batch);
            outcome?;
            if !self.large_frame(&mut batch).await? {
                self.framer.take_if(|framer| !framer.is_mid_frame());
                return Ok(());
            }
        }
    }

    fn framer(&mut self) -> &mut Framer {
        begun(&mut self.framer)
    }

    fn note(&self, count: usize) -> Result<(), End> {
        self.place.connection.note_read();
        self.place.handle.metrics().bytes_in(count);
        if count == 0 { Err(End::Peer) } else { Ok(()) }
    }

    async fn frames(&mut self, batch: &mut Batch) -> Result<(), End> {
        while let Some(frame) = self.framer().frame().map_err(|error| End::Close(foreign(&error)))? {
            self.count(batch, &frame).await;
            while self.place.connection.is_full() {
                self.send(batch);
                self.place.connection.told_reader().await;
            }
            let handle = &self.place.handle;
            if handle.is_stopping() {
                return Err(End::Stop);
            }
            match dispatch::dispatch(handle, &mut self.peer, frame).map_err(End::Close)? {
                Step::Answer(slot) => self.known(batch, slot),
                Step::Ask(asked, group, what) => {
                    let place = self.place.connection.push(Slot::Asked(Box::new(asked)));
                    self.ask(batch, place, 0, group, what);
                }
                Step::AskMany(asked, parts) => {
                    let place = self.place.connection.push(Slot::Asked(Box::new(asked)));
                    (0..).zip(parts).for_each(|(part, (group, what))| self.ask(batch, place, part, group, what));
                }
                Step::Later(answer) => {
                    self.send(batch);
                    let answer = answer.await.map_err(End::Close)?;
                    self.known(batch, Slot::Ready(answer.head));
                    if !answer.rest.is_empty() {
                        self.known(batch, Slot::Ready(answer.rest));
                    }
                }
            }
        }
        Ok(())
    }

    fn known(&self, batch: &mut Batch, slot: Slot) {
        self.place.connection.push(slot);
        batch.has_answers = true;
    }

    fn ask(&self, batch: &mut Batch, place: u64, part: u32, group: GroupId, what: Pending) {
        let shard = self.place.handle.shard_of(group.as_str());
        let request = Request { place, part, group, what };
        match batch.first {
            None => batch.first = Some((shard, request)),
            Some(_) => batch.more.push((shard, request)),
        }
    }

    /// Sends the answers that are known, and hands the questions to the shards: one entry for each.
    fn send(&self, batch: &mut Batch) {
        let Batch { first, more, memory, has_answers, reserved: _ } = std::mem::take(batch);
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
    async fn count(&self, batch: &mut Batch, frame: &Bytes) {
        let permit = match batch.reserved.take() {
            Some(reserved) => reserved,
            None => match self.place.handle.memory().take(frame.len()) {
                Ok(permit) => permit,
                // Never wait with requests in hand: what they hold is what others wait for.
                Err(full) => {
                    self.send(batch);
                    full.wait().await
                }
            },
        };
        batch.memory.add(permit);
    }

    /// Reads a large frame that has begun to arrive: sets memory aside for it first, and gives it a time limit. False
    /// when there is none.
    async fn large_frame(&mut self, batch: &mut Batch) -> Result<bool, End> {
        let Some(length) = self.announced().filter(|length| *length > FREE_FRAME_BYTES) else { return Ok(false) };
        let most = self.place.handle.max_request_bytes();
        if length > most {
            let reason = format!("a frame of {length} bytes; socket.request.max.bytes = {most}");
            return Err(End::Close(Close { kind: "frame", reason }));
        }
        batch.reserved = Some(match self.place.handle.memory().take(length) {
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
        let begun = self.framer.as_ref()?.begun();
        let head = begun.first_chunk::<4>().filter(|_| begun.len() >= LENGTH_AND_KEY)?;
        usize::try_from(i32::from_be_bytes(*head)).ok()
    }

    async fn arrived(&mut self, upto: usize) -> Result<(), End> {
        while room(&mut self.framer).len() < upto {
            let count = self.half.read_buf(room(&mut self.framer)).await.map_err(|_| End::Lost)?;
            self.note(count)?;
        }
        Ok(())
    }

    /// Reads on without looking, so that the answers before the end are not lost to a reset; who looks for idle
    /// connections ends it.
    async fn discard(&mut self) {
        loop {
            let nothing = room(&mut self.framer);
            nothing.clear();
            if !matches!(self.half.read_buf(nothing).await, Ok(1..)) {
                return;
            }
        }
    }
}

fn begun(framer: &mut Option<Box<Framer>>) -> &mut Framer {
    framer.get_or_insert_with(|| Box::new(Framer::new(FrameLimit::REQUESTS)))
}

fn room(framer: &mut Option<Box<Framer>>) -> &mut BytesMut {
    begun(framer).room()
}

/// Answers the plain heartbeats at the start of what arrived with one write; how many bytes they are.
fn heartbeats(handle: &Handle, connection: &Arc<Connection>, arrived: &[u8]) -> std::io::Result<usize> {
    if !connection.is_quiet() {
        return Ok(0);
    }
    scratch::with_out(|out| {
        let (mut pulse, mut rest) = (Pulse::new(out), arrived);
        while let Some((frame, behind)) = first_frame(rest)
            && pulse.answers(handle, frame)
        {
            rest = behind;
        }
        if !out.is_empty() {
            connection.send(handle, out)?;
        }
        Ok(arrived.len() - rest.len())
    })
}

/// The first frame, without its length, if it is whole, and what is behind it.
fn first_frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(i32::from_be_bytes(*length)).ok()?)
}

fn foreign(error: &FrameError) -> Close {
    let kind = match error.looks_like {
        Some(Foreign::Tls) => "tls",
        Some(Foreign::Http) => "http",
        None => "frame",
    };
    Close { kind, reason: error.to_string() }
}
