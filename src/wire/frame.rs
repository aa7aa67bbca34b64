//! Frames: a length of four bytes, then as many bytes.

use bytes::{Buf, Bytes, BytesMut};
use thiserror::Error;

use super::api::ApiKey;
use super::header::{RequestHeader, ResponseHeader};
use super::limits::{ANSWER_MAX, BUFFER_KEPT, FRAME_MAX, GROUP_FRAME_MAX, OFFSETS_FRAME_MAX, READ_MIN};
use super::message::{Message, Request};
use super::problem::{DecodeError, EncodeError, Problem};
use super::reader::Reader;
use super::text::Text;
use super::writer::Writer;

/// How long frames may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameLimit {
    /// Of JoinGroup and SyncGroup requests.
    group: usize,
    /// Of requests about offsets.
    offsets: usize,
    /// Of everything else.
    other: usize,
}

impl FrameLimit {
    /// For requests of a client that has not logged in where a login is asked for.
    pub const BEFORE_LOGIN: Self = Self { group: FRAME_MAX, offsets: FRAME_MAX, other: FRAME_MAX };
    /// For requests.
    pub const REQUESTS: Self = Self { group: GROUP_FRAME_MAX, offsets: OFFSETS_FRAME_MAX, other: FRAME_MAX };
    /// For answers, which do not say of what kind they are.
    pub const ANSWERS: Self = Self { group: ANSWER_MAX, offsets: ANSWER_MAX, other: ANSWER_MAX };

    /// The limit of a frame that begins with these bytes; none as long as they do not tell.
    fn of(self, start: &[u8]) -> Option<usize> {
        if self.group == self.other {
            return Some(self.other);
        }
        let key = ApiKey::from_code(i16::from_be_bytes(*start.first_chunk()?));
        Some(match key {
            Some(ApiKey::JoinGroup | ApiKey::SyncGroup) => self.group,
            Some(ApiKey::OffsetCommit | ApiKey::OffsetFetch | ApiKey::OffsetDelete | ApiKey::ListOffsets) => {
                self.offsets
            }
            _ => self.other,
        })
    }
}

/// Cuts what a connection brings into frames.
#[derive(Debug)]
pub struct Framer {
    buffer: BytesMut,
    /// How much memory the buffer is a part of: what was cut off may be gone, the memory stays whole.
    taken: usize,
    /// Whether the buffer is memory that others read into as well.
    is_shared: bool,
    limit: FrameLimit,
}

impl Framer {
    /// A framer of a new connection. It takes no memory before the first [`Framer::room`].
    pub fn new(limit: FrameLimit) -> Self {
        Self { buffer: BytesMut::new(), taken: 0, is_shared: false, limit }
    }

    /// The buffer to append what arrives to, with room for some: about as much again as has arrived of an unfinished
    /// frame, whatever length the frame says it has.
    pub fn room(&mut self) -> &mut BytesMut {
        if self.buffer.capacity() - self.buffer.len() < READ_MIN {
            self.buffer.reserve(self.buffer.len().max(READ_MIN));
            self.taken = self.taken.max(self.buffer.capacity());
        }
        &mut self.buffer
    }

    /// Takes what arrived in memory that others read into as well: what is no whole frame is copied out of it as soon as
    /// [`Framer::frame`] has no more.
    pub fn take(&mut self, arrived: BytesMut) {
        if self.buffer.is_empty() {
            self.buffer = arrived;
            self.is_shared = true;
        } else {
            self.buffer.extend_from_slice(&arrived);
            self.taken = self.taken.max(self.buffer.capacity());
        }
    }

    /// The next whole frame, without its length. It shares the buffer: nothing is copied.
    pub fn frame(&mut self) -> Result<Option<Bytes>, FrameError> {
        let frame = self.cut()?;
        if frame.is_none() {
            self.shrink();
        }
        Ok(frame)
    }

    fn cut(&mut self) -> Result<Option<Bytes>, FrameError> {
        let Some((head, rest)) = self.buffer.split_first_chunk::<4>() else { return Ok(None) };
        let length = i32::from_be_bytes(*head);
        let Ok(wanted) = usize::try_from(length) else { return Err(FrameError::new(*head, self.limit.group)) };
        if wanted > self.limit.group {
            return Err(FrameError::new(*head, self.limit.group));
        }
        if wanted > self.limit.other {
            match self.limit.of(rest) {
                Some(limit) if wanted > limit => return Err(FrameError::new(*head, limit)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
        if rest.len() < wanted {
            return Ok(None);
        }
        self.buffer.advance(4);
        Ok(Some(self.buffer.split_to(wanted).freeze()))
    }

    /// Whether bytes of an unfinished frame are waiting: the peer closed in the middle of one if nothing follows.
    pub fn is_mid_frame(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// What has arrived of an unfinished frame, with its length.
    pub fn begun(&self) -> &[u8] {
        &self.buffer
    }

    /// Gives the buffer back while the connection is idle; bytes of an unfinished frame stay.
    pub fn release(&mut self) {
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
            self.taken = 0;
        }
    }

    /// Moves what is left out of memory that is shared, and the few bytes that follow a long frame out of its memory,
    /// which is free then.
    fn shrink(&mut self) {
        if self.is_shared || (self.taken > BUFFER_KEPT && self.buffer.len() < READ_MIN) {
            self.buffer = BytesMut::from(&self.buffer[..]);
            self.taken = self.buffer.capacity();
            self.is_shared = false;
        }
    }
}

/// A length that no frame has: the connection cannot go on, since nobody knows where the next frame begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a frame of {length} bytes, {limit} at most{}", self.hint())]
pub struct FrameError {
    /// The length.
    pub length: i32,
    /// What it may be at most.
    pub limit: usize,
    /// What its first bytes look like.
    pub looks_like: Option<Foreign>,
}

impl FrameError {
    fn new(head: [u8; 4], limit: usize) -> Self {
        Self { length: i32::from_be_bytes(head), limit, looks_like: Foreign::of(head) }
    }

    fn hint(&self) -> &'static str {
        match self.looks_like {
            Some(Foreign::Tls) => ": this looks like TLS, but the port is a plain one (security.protocol=PLAINTEXT)",
            Some(Foreign::Http) => ": this looks like HTTP, but the port speaks Kafka's protocol",
            None => "",
        }
    }
}

/// Another protocol, by the first bytes of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// A TLS handshake.
    Tls,
    /// An HTTP request or answer.
    Http,
}

impl Foreign {
    fn of(head: [u8; 4]) -> Option<Self> {
        match &head {
            [0x16, 0x03, ..] => Some(Self::Tls),
            b"GET " | b"HEAD" | b"POST" | b"PUT " | b"PATC" | b"DELE" | b"OPTI" | b"CONN" | b"TRAC" | b"PRI "
            | b"HTTP" => Some(Self::Http),
            _ => None,
        }
    }
}

/// Appends a frame with a request.
pub fn put_request<R: Request>(
    to: &mut BytesMut,
    version: i16,
    correlation_id: i32,
    client_id: Option<&Text>,
    request: &R,
) -> Result<(), EncodeError> {
    let header = RequestHeader {
        api_key: R::KEY.code(),
        api_version: version,
        correlation_id,
        client_id: client_id.cloned(),
        ..RequestHeader::default()
    };
    put_frame(to, |to| {
        header.encode(to)?;
        request.encode(version, to)
    })
}

/// Appends a frame with an answer to a request of this version.
pub fn put_response<M: Message>(
    to: &mut BytesMut,
    version: i16,
    correlation_id: i32,
    response: &M,
) -> Result<(), EncodeError> {
    let header = ResponseHeader { correlation_id, ..ResponseHeader::default() };
    put_frame(to, |to| {
        header.encode(to, M::KEY, version)?;
        response.encode(version, to)
    })
}

/// A frame with a request.
pub fn encode_request<R: Request>(
    version: i16,
    correlation_id: i32,
    client_id: Option<&Text>,
    request: &R,
) -> Result<Bytes, EncodeError> {
    let mut frame = BytesMut::new();
    put_request(&mut frame, version, correlation_id, client_id, request)?;
    Ok(frame.freeze())
}

/// A frame with an answer to a request of this version.
pub fn encode_response<M: Message>(version: i16, correlation_id: i32, response: &M) -> Result<Bytes, EncodeError> {
    let mut frame = BytesMut::new();
    put_response(&mut frame, version, correlation_id, response)?;
    Ok(frame.freeze())
}

/// Reads the body of a request whose header has been read. What follows it is ignored, as Kafka does: librdkafka's
/// Metadata v13 for all topics brings three bytes too many (seen with 2.16.0).
pub fn decode_request<R: Request>(mut body: Reader, version: i16) -> Result<R, DecodeError> {
    R::decode(&mut body, version)
}

/// Reads an answer to a request of this version: its correlation id and itself. What may follow is of a later time.
pub fn decode_response<M: Message>(frame: Bytes, version: i16) -> Result<(i32, M), DecodeError> {
    let mut reader = Reader::new(frame);
    let header = ResponseHeader::decode(&mut reader, M::KEY, version)?;
    Ok((header.correlation_id, M::decode(&mut reader, version)?))
}

/// Counts first, so that the buffer grows once and only by what is written; an error leaves it as it was.
fn put_frame(to: &mut BytesMut, write: impl Fn(&mut Writer<'_>) -> Result<(), EncodeError>) -> Result<(), EncodeError> {
    let length = Writer::count(&write)?;
    let head = i32::try_from(length).map_err(|_| Problem::TooLong(length))?;
    to.reserve(4 + length);
    to.extend_from_slice(&head.to_be_bytes());
    write(&mut Writer::new(to))
}
