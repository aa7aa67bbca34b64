//! The admin port's connections: so many at a time, and each asks or goes, so that nobody takes the files that clients
//! need by asking nothing.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

use super::clock::Clock;
use super::limits::{ACCEPT_PAUSE, ADMIN_TIMEOUT, MAX_ADMIN_CONNECTIONS};

/// The listener.
pub(crate) struct AdminPort {
    listener: TcpListener,
    places: Arc<Semaphore>,
    clock: Clock,
}

impl AdminPort {
    /// The port behind that listener.
    pub(crate) fn new(listener: TcpListener, clock: Clock) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(MAX_ADMIN_CONNECTIONS)), clock }
    }
}

impl axum::serve::Listener for AdminPort {
    type Io = AdminStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (AdminStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else { continue };
                    let silence = Box::pin(tokio::time::sleep_until(self.clock.after(ADMIN_TIMEOUT)));
                    return (AdminStream { stream, silence, clock: self.clock, _place: place }, peer);
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection. It ends when it took nothing of an answer for [`ADMIN_TIMEOUT`]; what it sends does not prolong it.
pub(crate) struct AdminStream {
    stream: TcpStream,
    silence: Pin<Box<Sleep>>,
    clock: Clock,
    _place: OwnedSemaphorePermit,
}

impl AdminStream {
    fn or_timeout<T>(&mut self, outcome: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if outcome.is_pending() && self.silence.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        outcome
    }

    fn until(&self) -> Instant {
        self.clock.after(ADMIN_TIMEOUT)
    }
}

impl AsyncRead for AdminStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_read(cx, to);
        self.or_timeout(outcome, cx)
    }
}

impl AsyncWrite for AdminStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if matches!(outcome, Poll::Ready(Ok(1..))) {
            let until = self.until();
            self.silence.as_mut().reset(until);
        }
        self.or_timeout(outcome, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
