//! Bytes that are no requests: the connection is closed with its reason counted, and others are served.

use divvy::server::Server;
use divvy::wire::ErrorCode;
use divvy::wire::frame::encode_request;

use crate::support::{Client, Member, config, join, metric, serve};

async fn beats(client: &mut Client, member: &Member) {
    assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
}

async fn closed(server: &Server, kind: &str) -> u64 {
    metric(&server.handle().metrics_text().await, &format!("divvy_connections_closed_total{{kind=\"{kind}\"}}"))
}

#[tokio::test]
async fn tls_http_and_impossible_lengths_are_closed_by_name() {
    let server = serve(config()).await;
    let mut other = Client::connect(server.addr()).await;
    let member = other.become_leader("g", b"all").await;
    let hostile: [(&str, &[u8]); 6] = [
        ("tls", b"\x16\x03\x01\x05\xef\x01\x00"),
        ("http", b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"),
        ("frame", b"\x80\x00\x00\x00"),
        ("frame", b"\xff\xff\xff\xff"),
        ("frame", b"\x7f\xff\xff\xff\x00\x0b\x00\x05"),
        ("frame", b"\x00\x20\x00\x00\x00\x0c\x00\x00"),
    ];
    for (kind, bytes) in hostile {
        let before = closed(&server, kind).await;
        let mut client = Client::connect(server.addr()).await;
        client.send_bytes(bytes).await;
        assert_eq!(client.frame().await, None, "{bytes:?}");
        assert_eq!(closed(&server, kind).await, before + 1, "{bytes:?}");
        beats(&mut other, &member).await;
    }
    server.stop().await;
}

/// Every truncation, framed as if it were whole.
#[tokio::test]
async fn every_truncation_of_a_join_is_closed_and_others_are_served() {
    let server = serve(config()).await;
    let mut other = Client::connect(server.addr()).await;
    let member = other.become_leader("g", b"all").await;
    let mut tried = 0;
    for version in [5, 7] {
        let whole = encode_request(version, 1, Some(&"it".into()), &join("victim", "")).unwrap();
        for length in 0..whole.len() - 4 {
            let mut frame = i32::try_from(length).unwrap().to_be_bytes().to_vec();
            frame.extend(&whole[4..4 + length]);
            let mut client = Client::connect(server.addr()).await;
            client.send_bytes(&frame).await;
            assert_eq!(client.frame().await, None, "v{version}, {length} bytes");
            tried += 1;
        }
        beats(&mut other, &member).await;
    }
    assert_eq!(closed(&server, "malformed").await, tried);
    assert_eq!(other.state_of("victim").await, "Dead");
    server.stop().await;
}

/// Counts and lengths of 0x7fffffff wherever four bytes of a JoinGroup may be one.
#[tokio::test]
async fn counts_beyond_the_frame_never_become_memory() {
    let server = serve(config()).await;
    let mut other = Client::connect(server.addr()).await;
    let member = other.become_leader("g", b"all").await;
    let whole = encode_request(5, 1, Some(&"it".into()), &join("victim", "made-up")).unwrap();
    for at in 12..whole.len() - 4 {
        let mut frame = whole.to_vec();
        frame[at..at + 4].copy_from_slice(&i32::MAX.to_be_bytes());
        let mut client = Client::connect(server.addr()).await;
        client.send_bytes(&frame).await;
        // An answer, if it still is a request; else the end.
        let _ = client.frame().await;
    }
    beats(&mut other, &member).await;
    server.stop().await;
}

/// What the fuzzer kept, as bytes of a connection and as bodies behind a good header: a member's group lives on.
#[tokio::test]
async fn what_a_fuzzer_finds_hurts_nobody_else() {
    let server = serve(config()).await;
    let mut other = Client::connect(server.addr()).await;
    let member = other.become_leader("g", b"all").await;
    for kept in corpus("frame") {
        hostile(&server, &kept[2.min(kept.len())..]).await;
        beats(&mut other, &member).await;
    }
    for kept in corpus("request") {
        let [_, key @ .., version] = *kept.first_chunk::<4>().unwrap_or(&[0; 4]);
        let body = kept.get(4..).unwrap_or_default();
        let header = [&key[..], &[0, version, 0, 0, 0, 9, 0, 4], b"fuzz"].concat();
        let flexible = divvy::wire::ApiKey::from_code(i16::from_be_bytes(key))
            .is_some_and(|key| i16::from(version) >= divvy::wire::api::flexible_from(key));
        let tags: &[u8] = if flexible { &[0] } else { &[] };
        let frame = [&header, tags, body].concat();
        let length = i32::try_from(frame.len()).unwrap().to_be_bytes();
        hostile(&server, &[&length[..], &frame].concat()).await;
        beats(&mut other, &member).await;
    }
    assert_eq!(other.state_of("g").await, "Stable");
    server.stop().await;
}

/// A connection that sends these bytes and goes away without waiting for an answer.
async fn hostile(server: &Server, bytes: &[u8]) {
    let mut client = Client::connect(server.addr()).await;
    client.send_bytes(bytes).await;
    drop(client);
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// A frame that arrives byte by byte is a frame; a client that vanishes in the middle of one is no event at all.
#[tokio::test]
async fn frames_may_come_in_pieces() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("g", b"all").await;
    let frame = encode_request(3, 99, None, &member.heartbeat()).unwrap();
    for byte in &frame {
        client.send_bytes(&[*byte]).await;
    }
    assert!(client.frame().await.is_some());
    let mut vanishing = Client::connect(server.addr()).await;
    vanishing.send_bytes(&frame[..frame.len() - 1]).await;
    drop(vanishing);
    beats(&mut client, &member).await;
    server.stop().await;
}
