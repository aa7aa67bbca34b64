//! One end of a connection, for clients and bare servers alike: whole frames in, bytes out, never waiting.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::SocketAddr;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

/// The end.
pub struct Link {
    stream: TcpStream,
    /// The beginning of a frame whose rest has not come yet.
    begun: Vec<u8>,
    /// Not sent yet.
    pub out: Vec<u8>,
}

/// What is read at once. All links of a loop share one such buffer, so that an idle one costs nothing.
pub const SCRATCH_BYTES: usize = 256 * 1024;

impl Link {
    /// An end of an accepted or connected stream.
    pub fn new(mut stream: TcpStream, registry: &Registry, token: usize) -> Result<Self> {
        stream.set_nodelay(true)?;
        registry.register(&mut stream, Token(token), Interest::READABLE | Interest::WRITABLE)?;
        Ok(Self { stream, begun: Vec::new(), out: Vec::new() })
    }

    /// A new connection.
    pub fn connect(addr: SocketAddr, registry: &Registry, token: usize) -> Result<Self> {
        let stream = std::net::TcpStream::connect(addr)?;
        stream.set_nonblocking(true)?;
        Self::new(TcpStream::from_std(stream), registry, token)
    }

    /// Gives what has arrived to `each`, a whole frame at a time without its length; the other argument is what to send.
    /// False when the peer has closed.
    pub fn receive(&mut self, scratch: &mut [u8], mut each: impl FnMut(&[u8], &mut Vec<u8>)) -> Result<bool> {
        loop {
            let count = match self.stream.read(scratch) {
                Ok(0) => return Ok(false),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error),
            };
            let arrived = &scratch[..count];
            if self.begun.is_empty() {
                let used = frames(arrived, &mut self.out, &mut each);
                self.begun.extend_from_slice(&arrived[used..]);
            } else {
                self.begun.extend_from_slice(arrived);
                let used = frames(&self.begun, &mut self.out, &mut each);
                self.begun.drain(..used);
                if self.begun.is_empty() {
                    self.begun = Vec::new();
                }
            }
            // A short read emptied the socket: what comes later is announced anew.
            if count < scratch.len() {
                return Ok(true);
            }
        }
    }

    /// Sends what the system takes; the rest goes with a later call.
    pub fn flush(&mut self) -> Result<()> {
        let mut sent = 0;
        while sent < self.out.len() {
            match self.stream.write(&self.out[sent..]) {
                Ok(count) => sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        if sent == self.out.len() {
            self.out.clear();
            self.out.shrink_to(4096);
        } else {
            self.out.drain(..sent);
        }
        Ok(())
    }
}

/// Hands out the whole frames at the start of `bytes`; how many bytes they take.
fn frames(bytes: &[u8], out: &mut Vec<u8>, each: &mut impl FnMut(&[u8], &mut Vec<u8>)) -> usize {
    let mut used = 0;
    while let Some((length, rest)) = bytes[used..].split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some(frame) = rest.get(..length) else { break };
        each(frame, out);
        used += 4 + length;
    }
    used
}
