//! A task that writes what a connection's socket did not take at once, or what has to wait for its time; it ends when
//! nothing is left.

use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;

use super::Handle;
use super::connection::Connection;
use super::limits::WRITE_BATCH_BYTES;
use super::line::{Rest, encode, now};
use super::outbox::{Close, Next, Slot};

/// The task.
pub(crate) struct Writer {
    handle: Handle,
    connection: Arc<Connection>,
    /// The socket, until it is given back.
    half: Option<OwnedWriteHalf>,
    /// Encoded and not written yet.
    out: BytesMut,
    next: Option<Next>,
}

/// What ends the task.
enum End {
    /// Nothing is left; the connection has its socket again.
    Rest,
    /// The connection is over.
    Close(Option<Close>),
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.half.is_some() {
            self.connection.note_closed();
        }
    }
}

impl Writer {
    /// A writer of what a connection could not send.
    pub(crate) fn new(handle: Handle, connection: Arc<Connection>, Rest { half, out, next }: Rest) -> Self {
        Self { handle, connection, half: Some(half), out, next }
    }

    /// Writes until nothing is left, or the connection ends.
    pub(crate) async fn run(mut self) {
        let close = match self.answers().await {
            Ok(End::Rest) => return,
            Ok(End::Close(close)) => close,
            // The peer is gone; the reader learns it by itself or is told here.
            Err(_) => return self.connection.kill(),
        };
        if let Some(close) = close {
            self.handle.tell_closed(self.connection.peer(), &close);
        }
        if let Some(half) = &mut self.half {
            let _ = half.shutdown().await;
        }
    }

    async fn answers(&mut self) -> std::io::Result<End> {
        loop {
            let next = match self.next.take() {
                Some(next) => next,
                None => self.connection.next(&mut self.half, !self.out.is_empty(), || now(&self.handle)),
            };
            match next {
                Next::Send(slot) => {
                    if let Err(close) = self.put(slot).await? {
                        return Ok(End::Close(Some(close)));
                    }
                    if self.out.len() >= WRITE_BATCH_BYTES {
                        self.flush().await?;
                    }
                }
                Next::Close(close) => {
                    self.flush().await?;
                    return Ok(End::Close(close));
                }
                Next::At(_) | Next::Wait if !self.out.is_empty() => self.flush().await?,
                Next::At(at) => {
                    let _ = tokio::time::timeout_at(at, self.connection.told_writer()).await;
                }
                Next::Wait => return Ok(End::Rest),
            }
        }
    }

    /// Encodes an answer into the buffer.
    async fn put(&mut self, slot: Slot) -> std::io::Result<Result<(), Close>> {
        match slot {
            Slot::Asked(asked) => return Ok(encode(*asked, &self.handle, &mut self.out)),
            Slot::Ready(answer) | Slot::NotBefore(_, answer) if answer.len() < WRITE_BATCH_BYTES => {
                self.out.extend_from_slice(&answer);
            }
            Slot::Ready(answer) | Slot::NotBefore(_, answer) => {
                self.flush().await?;
                self.write(&answer).await?;
            }
            Slot::Close(_) => {}
        }
        Ok(Ok(()))
    }

    async fn flush(&mut self) -> std::io::Result<()> {
        let out = std::mem::take(&mut self.out);
        self.write(&out).await
    }

    async fn write(&mut self, mut answers: &[u8]) -> std::io::Result<()> {
        let Some(half) = &mut self.half else { return Ok(()) };
        while !answers.is_empty() {
            self.connection.note_write();
            let count = half.write(answers).await;
            self.connection.note_write();
            let count = count?;
            self.handle.metrics().bytes_out(count);
            answers = &answers[count..];
        }
        Ok(())
    }
}
