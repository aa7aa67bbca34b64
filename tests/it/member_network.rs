//! Members on a bad network: nothing there, something else there, an old peer, packets that vanish.

use std::net::SocketAddr;
use std::time::Duration;

use divvy::client::{Note, Offset};
use divvy::server::config::Config;
use divvy::wire::frame::{FrameLimit, Framer, encode_response};
use divvy::wire::header::RequestHeader;
use divvy::wire::messages::api_versions::{ApiVersion, ApiVersionsResponse};
use divvy::wire::{ApiKey, ErrorCode, Reader};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::member_ground::{Worker, builder, start};
use crate::support::{config, own_address, serve, within};

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(own_address()).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

#[tokio::test]
async fn a_member_says_that_nothing_listens_and_joins_when_something_does() {
    let (free, address) = listen().await;
    drop(free);
    let mut worker = Worker::join(builder(address, "indexers").subscribe(["clicks"])).await;
    let note = worker.note(|it| matches!(it, Note::CoordinatorLost { .. })).await.to_string();
    assert!(note.contains(&format!("cannot reach {address}")) && note.contains("divvy serve"), "{note}");
    let _server = serve(Config { listen: address, ..config() }).await;
    worker.assigned().await;
}

#[tokio::test]
async fn a_peer_that_speaks_something_else_is_named() {
    let (other, address) = listen().await;
    start(async move {
        let (mut stream, _) = other.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        // The member hangs up.
        let _ = stream.read(&mut [0; 1024]).await;
    });
    let mut worker = Worker::join(builder(address, "indexers").subscribe(["clicks"])).await;
    let note = worker.note(|it| matches!(it, Note::CoordinatorLost { .. })).await.to_string();
    assert!(note.contains("does not answer in Kafka's protocol") && note.contains("HTTP"), "{note}");
}

/// The next request on a connection: its header.
async fn request(stream: &mut TcpStream, framer: &mut Framer) -> RequestHeader {
    within(async {
        loop {
            if let Some(frame) = framer.frame().unwrap() {
                return RequestHeader::decode(&mut Reader::new(frame)).unwrap();
            }
            assert_ne!(stream.read_buf(framer.room()).await.unwrap(), 0, "the member asks on the same connection");
        }
    })
    .await
}

#[tokio::test]
async fn an_old_peer_is_asked_again_in_its_own_version() {
    let (old, address) = listen().await;
    let _worker = Worker::join(builder(address, "indexers").subscribe(["clicks"])).await;
    let (mut stream, _) = within(old.accept()).await.unwrap();
    let mut framer = Framer::new(FrameLimit::REQUESTS);
    let serves = |key: ApiKey| ApiVersion { api_key: key.code(), ..Default::default() };
    let api_keys = vec![serves(ApiKey::ApiVersions), serves(ApiKey::FindCoordinator)];

    let first = request(&mut stream, &mut framer).await;
    assert_eq!((first.api_key, first.api_version), (ApiKey::ApiVersions.code(), 3));
    let error_code = ErrorCode::UnsupportedVersion;
    let refusal = ApiVersionsResponse { error_code, api_keys: api_keys.clone(), ..Default::default() };
    stream.write_all(&encode_response(0, first.correlation_id, &refusal).unwrap()).await.unwrap();

    let second = request(&mut stream, &mut framer).await;
    assert_eq!((second.api_key, second.api_version), (ApiKey::ApiVersions.code(), 0));
    let answer = ApiVersionsResponse { api_keys, ..Default::default() };
    stream.write_all(&encode_response(0, second.correlation_id, &answer).unwrap()).await.unwrap();

    let third = request(&mut stream, &mut framer).await;
    assert_eq!((third.api_key, third.api_version), (ApiKey::FindCoordinator.code(), 0));
}

/// Carries bytes, except while the path is a black hole: then nothing gets through until it is one no more.
async fn carry(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, mut is_hole: watch::Receiver<bool>) {
    let mut bytes = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        if is_hole.wait_for(|it| !it).await.is_err() || to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}

/// A path to `server` that can become a black hole.
fn path(listener: TcpListener, server: SocketAddr) -> watch::Sender<bool> {
    let (hole, is_hole) = watch::channel(false);
    start(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(server).await.unwrap();
            let ((client_reads, client_writes), (server_reads, server_writes)) =
                (client.into_split(), server.into_split());
            start(carry(client_reads, server_writes, is_hole.clone()));
            start(carry(server_reads, client_writes, is_hole.clone()));
        }
    });
    hole
}

#[tokio::test]
async fn b73_a_member_comes_out_of_every_black_hole() {
    let (listener, address) = listen().await;
    let advertised_listener = Some(address.to_string().parse().unwrap());
    let server = serve(Config { advertised_listener, ..config() }).await;
    let hole = path(listener, server.addr());
    let member = builder(address, "indexers").subscribe(["clicks"]).session_timeout(Duration::from_millis(200));
    let mut worker = Worker::join(member).await;
    worker.assigned().await;
    for round in 0..10 {
        hole.send(true).unwrap();
        worker.next_note(|it| matches!(it, Note::CoordinatorLost { .. })).await;
        hole.send(false).unwrap();
        worker.next_note(|it| *it == Note::CoordinatorFound).await;
        // With its old generation or, if the coordinator gave it up meanwhile, in a new one: it works.
        let offset = || vec![Offset { topic: "clicks".into(), partition: 0, offset: round }];
        within(async {
            while worker.commit(offset()).await.is_err() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}
