//! What the codec allocates for honest messages: nothing for a heartbeat, once its own size for a large plan.

use bytes::{Bytes, BytesMut};
use divvy::wire::frame::{FrameLimit, Framer, decode_request, encode_request, put_request, put_response};
use divvy::wire::header::RequestHeader;
use divvy::wire::messages::sync_group::SyncGroupRequestAssignment;
use divvy::wire::messages::{HeartbeatRequest, HeartbeatResponse, SyncGroupRequest};
use divvy::wire::{Reader, Text};

use crate::counting::allocated;

#[test]
fn a_heartbeat_allocates_nothing() {
    let request = HeartbeatRequest {
        group_id: "orders".into(),
        generation_id: 3,
        member_id: "rdkafka-3f1c".into(),
        ..HeartbeatRequest::default()
    };
    let (mut framer, mut answers) = (Framer::new(FrameLimit::REQUESTS), BytesMut::new());
    let client_id = Text::from("rdkafka");
    let mut beat = |correlation_id| {
        put_request(framer.room(), 3, correlation_id, Some(&client_id), &request).expect("it has a form");
        let frame = framer.frame().expect("it is short").expect("it is whole");
        let mut reader = Reader::new(frame);
        let header = RequestHeader::decode(&mut reader).expect("it has one");
        let read: HeartbeatRequest = decode_request(reader, header.api_version).expect("it is one");
        assert_eq!(read.generation_id, 3);
        answers.clear();
        put_response(&mut answers, header.api_version, header.correlation_id, &HeartbeatResponse::default())
            .expect("it has a form");
    };
    beat(0);
    let ((), bytes) = allocated(|| (1..1000).for_each(&mut beat));
    assert_eq!(bytes, 0);
}

#[test]
fn a_large_plan_is_copied_once() {
    let assignment = |member: usize| SyncGroupRequestAssignment {
        member_id: format!("member-{member}").into(),
        assignment: Bytes::from(vec![0; 10_000]),
    };
    let request = SyncGroupRequest { assignments: (0..2000).map(assignment).collect(), ..SyncGroupRequest::default() };
    let (frame, bytes) = allocated(|| encode_request(5, 1, None, &request).expect("it has a form"));
    assert!(bytes <= frame.len() + 100, "{bytes} bytes for a frame of {}", frame.len());
    let mut reader = Reader::new(frame.slice(4..));
    let version = RequestHeader::decode(&mut reader).expect("it has one").api_version;
    let (read, bytes) = allocated(|| decode_request::<SyncGroupRequest>(reader, version).expect("it is one"));
    assert_eq!(read, request);
    assert!(bytes <= 200_000, "{bytes} bytes for 2,000 views");
}
