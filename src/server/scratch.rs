//! Where all connections of a thread read into, and encode their answers: an idle connection holds no buffer, and a busy
//! one shares the memory that is in the processor's cache anyway.

use std::cell::RefCell;
use std::future::Future;
use std::io::Result;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;

use super::limits::{FREE_FRAME_BYTES, WRITE_BATCH_BYTES};
use crate::wire::limits::READ_MIN;

thread_local! {
    static SCRATCH: RefCell<BytesMut> = RefCell::new(BytesMut::new());
    static OUT: RefCell<BytesMut> = RefCell::new(BytesMut::new());
}

/// Lends an empty buffer for answers; what is left in it afterwards is dropped.
pub(crate) fn with_out<T>(work: impl FnOnce(&mut BytesMut) -> T) -> T {
    OUT.with_borrow_mut(|out| {
        let outcome = work(out);
        out.clear();
        // Twice: the answer that fills a batch may be as long as the batch.
        if out.capacity() > 2 * WRITE_BATCH_BYTES {
            *out = BytesMut::new();
        }
        outcome
    })
}

/// What a socket had.
pub(crate) struct Arrived {
    /// How many bytes; none when the peer has closed.
    pub(crate) count: usize,
    /// Those that `serve` left. As long as a part of them is held, so is the whole scratch, and the thread goes on with
    /// another one: no more than a buffer of its own would hold.
    pub(crate) rest: Option<BytesMut>,
}

/// Reads what the socket has and shows it to `serve`, which says how much of it, from the start, is done with.
pub(crate) fn poll_read(
    half: &mut OwnedReadHalf,
    context: &mut Context<'_>,
    serve: impl FnOnce(&[u8]) -> Result<usize>,
) -> Poll<Result<Arrived>> {
    SCRATCH.with_borrow_mut(|scratch| {
        if scratch.capacity() < READ_MIN {
            // Where nothing of it is held any more, this only begins at its start again.
            scratch.reserve(FREE_FRAME_BYTES);
        }
        let outcome = {
            let read = pin!(half.read_buf(scratch));
            ready!(read.poll(context))
        };
        let served = outcome.and_then(|count| Ok((count, serve(scratch)?)));
        Poll::Ready(match served {
            Ok((count, used)) if used == count => {
                scratch.clear();
                Ok(Arrived { count, rest: None })
            }
            Ok((count, used)) => {
                scratch.advance(used);
                Ok(Arrived { count, rest: Some(scratch.split()) })
            }
            Err(error) => {
                scratch.clear();
                Err(error)
            }
        })
    })
}
