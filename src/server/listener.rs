//! Accepts connections.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};

use super::Handle;
use super::connection::Connection;
use super::limits::{ACCEPT_PAUSE, MAX_CONNECTIONS};

/// Accepts until it is aborted.
pub(crate) async fn run(handle: Handle, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => welcome(&handle, stream, peer),
            Err(error) => {
                if let Some(left_out) = handle.quiet().allows("accept") {
                    tracing::warn!(%error, left_out, "a connection cannot be accepted: raise `ulimit -n` if files are short");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn welcome(handle: &Handle, stream: TcpStream, peer: SocketAddr) {
    let Some(id) = handle.registry().enter() else {
        if let Some(left_out) = handle.quiet().allows("too_many_connections") {
            tracing::warn!(%peer, left_out, "connection refused: there are {MAX_CONNECTIONS}, the most that divvy takes");
        }
        return;
    };
    // Answers are small and awaited: none may wait for more. Without it everything works, only later.
    let _ = stream.set_nodelay(true);
    let connection = Connection::start(handle, id, stream, peer);
    handle.registry().started(connection);
}
