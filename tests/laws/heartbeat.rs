//! A heartbeat allocates nothing, counted on the thread of a whole server: from the socket through the group and back.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use bytes::Bytes;
use divvy::server::Server;
use divvy::server::config::{Config, DataPlace};
use divvy::wire::frame::{decode_response, encode_request};
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::{
    HeartbeatRequest, HeartbeatResponse, JoinGroupRequest, JoinGroupResponse, SyncGroupRequest, SyncGroupResponse,
};
use divvy::wire::{ErrorCode, Request, Text};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::counting::so_far;

const HEARTBEATS: usize = 5_000;

/// Far less than one word for each heartbeat, and room for what a server does now and then besides.
const MOST_BYTES: usize = 8 * 1024;

#[test]
fn a_heartbeat_allocates_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let counts = runtime.block_on(async {
        let mut config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            admin: None,
            data: DataPlace::Memory,
            ..Config::default()
        };
        config.limits.initial_rebalance_delay = std::time::Duration::ZERO;
        let server = Server::start(config).await.unwrap();
        let (tell, mut told) = unbounded_channel();
        let addr = server.addr();
        let member = std::thread::spawn(move || member(addr, &tell));
        let mut counts = Vec::new();
        while let Some(()) = told.recv().await {
            counts.push(so_far());
        }
        member.join().unwrap();
        server.stop().await;
        counts
    });
    let [before, one_in_flight, many_in_flight] = counts[..] else { panic!("the member told {counts:?}") };
    assert!(one_in_flight - before <= MOST_BYTES, "{HEARTBEATS} heartbeats: {} bytes", one_in_flight - before);
    assert!(many_in_flight - one_in_flight <= MOST_BYTES, "16 in flight: {} bytes", many_in_flight - one_in_flight);
}

/// The only member of a group, on a thread of its own. It tells when the heartbeats begin, and when each half is over.
fn member(addr: SocketAddr, tell: &UnboundedSender<()>) {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_nodelay(true).unwrap();
    let group_id = Text::from("g");
    let protocols = vec![JoinGroupRequestProtocol { name: Text::from("range"), metadata: Bytes::from_static(b"m") }];
    let mut join = JoinGroupRequest {
        group_id: group_id.clone(),
        session_timeout_ms: 30_000,
        rebalance_timeout_ms: 30_000,
        protocol_type: Text::from("any"),
        protocols,
        ..Default::default()
    };
    let told: JoinGroupResponse = ask(&mut stream, 7, &join);
    assert_eq!(told.error_code, ErrorCode::MemberIdRequired);
    join.member_id = told.member_id;
    let joined: JoinGroupResponse = ask(&mut stream, 7, &join);
    let (generation_id, member_id) = (joined.generation_id, joined.member_id);
    let sync = SyncGroupRequest {
        group_id: group_id.clone(),
        generation_id,
        member_id: member_id.clone(),
        ..Default::default()
    };
    let synced: SyncGroupResponse = ask(&mut stream, 3, &sync);
    assert_eq!(synced.error_code, ErrorCode::None);
    let heartbeat = HeartbeatRequest { group_id, generation_id, member_id, ..Default::default() };
    let one = encode_request(4, 7, Some(&Text::from("laws")), &heartbeat).unwrap();
    // Before counting begins the buffers grow to what they need.
    beat(&mut stream, &one, 16, 20);
    beat(&mut stream, &one, 1, 20);
    tell.send(()).unwrap();
    beat(&mut stream, &one, 1, HEARTBEATS);
    tell.send(()).unwrap();
    beat(&mut stream, &one, 16, HEARTBEATS / 16);
    tell.send(()).unwrap();
}

/// Sends a request so many times at once, again and again, each time when all before are answered.
fn beat(stream: &mut TcpStream, request: &[u8], in_flight: usize, times: usize) {
    const ANSWER_BYTES: usize = 16;
    let requests = request.repeat(in_flight);
    let mut answers = vec![0; in_flight * ANSWER_BYTES];
    for _ in 0..times {
        stream.write_all(&requests).unwrap();
        stream.read_exact(&mut answers).unwrap();
        for answer in answers.chunks(ANSWER_BYTES) {
            let (_, answer) = decode_response::<HeartbeatResponse>(Bytes::copy_from_slice(&answer[4..]), 4).unwrap();
            assert_eq!(answer.error_code, ErrorCode::None);
        }
    }
}

fn ask<R: Request>(stream: &mut TcpStream, version: i16, request: &R) -> R::Response {
    stream.write_all(&encode_request(version, 1, Some(&Text::from("laws")), request).unwrap()).unwrap();
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut answer = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut answer).unwrap();
    decode_response(answer.into(), version).unwrap().1
}
