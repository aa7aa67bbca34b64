//! The writing half of a connection.

use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;

use super::Handle;
use super::connection::Connection;
use super::limits::{KEPT_BYTES, WRITE_BATCH_BYTES};
use super::outbox::{Close, Next, Slot};

/// The task.
pub(crate) struct Writer {
    handle: Handle,
    connection: Arc<Connection>,
    half: OwnedWriteHalf,
    /// Encoded and not written yet.
    out: BytesMut,
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.connection.note_closed();
    }
}

impl Writer {
    /// A writer of a new connection.
    pub(crate) fn new(handle: Handle, connection: Arc<Connection>, half: OwnedWriteHalf) -> Self {
        Self { handle, connection, half, out: BytesMut::new() }
    }

    /// Writes until the connection ends.
    pub(crate) async fn run(mut self) {
        let close = match self.answers().await {
            Ok(close) => close,
            // The peer is gone; the reader learns it by itself or is told here.
            Err(_) => return self.connection.kill(),
        };
        let Some(close) = close else { return };
        self.handle.tell_closed(self.connection.peer(), &close);
        let _ = self.half.shutdown().await;
    }

    async fn answers(&mut self) -> std::io::Result<Option<Close>> {
        let clock = self.handle.clock();
        loop {
            let next = self.connection.next(!self.out.is_empty(), || clock.instant(clock.mono()));
            match next {
                Next::Send(slot) => {
                    if let Err(close) = self.put(slot).await? {
                        return Ok(Some(close));
                    }
                    if self.out.len() >= WRITE_BATCH_BYTES {
                        self.flush().await?;
                    }
                }
                Next::Close(close) => {
                    self.flush().await?;
                    return Ok(close);
                }
                Next::At(_) | Next::Wait if !self.out.is_empty() => self.flush().await?,
                Next::At(at) => {
                    let _ = tokio::time::timeout_at(at, self.connection.writable()).await;
                }
                Next::Wait => self.connection.writable().await,
            }
        }
    }

    /// Encodes an answer into the buffer.
    async fn put(&mut self, slot: Slot) -> std::io::Result<Result<(), Close>> {
        match slot {
            Slot::Asked(asked) => {
                if let Err(error) = asked.encode(&self.handle, &mut self.out) {
                    let reason = format!("an answer cannot be written: {error}");
                    return Ok(Err(Close { kind: "encode", reason }));
                }
            }
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
        self.write(&out).await?;
        if out.capacity() <= KEPT_BYTES {
            self.out = out;
            self.out.clear();
        }
        Ok(())
    }

    async fn write(&mut self, mut answers: &[u8]) -> std::io::Result<()> {
        while !answers.is_empty() {
            self.connection.note_write();
            let count = self.half.write(answers).await;
            self.connection.note_write();
            let count = count?;
            self.handle.metrics().bytes_out(count);
            answers = &answers[count..];
        }
        Ok(())
    }
}
