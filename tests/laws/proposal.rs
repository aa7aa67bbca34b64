//! JoinGroup 0 and SyncGroup 0 are the proposal's formats, byte for byte.

use bytes::Bytes;
use divvy::wire::frame::{encode_request, encode_response};
use divvy::wire::messages::join_group::{JoinGroupRequestProtocol, JoinGroupResponseMember};
use divvy::wire::messages::sync_group::SyncGroupRequestAssignment;
use divvy::wire::messages::{JoinGroupRequest, JoinGroupResponse, SyncGroupRequest, SyncGroupResponse};
use divvy::wire::{ErrorCode, Text};

/// A frame from its parts.
fn frame(parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    [&(body.len() as i32).to_be_bytes()[..], &body].concat()
}

#[test]
fn a_join() {
    let request = JoinGroupRequest {
        group_id: "g".into(),
        session_timeout_ms: 30_000,
        // A later version's: it has no place here.
        rebalance_timeout_ms: 60_000,
        member_id: "m".into(),
        protocol_type: "consumer".into(),
        protocols: vec![JoinGroupRequestProtocol { name: "range".into(), metadata: Bytes::from_static(&[1, 2, 3]) }],
        ..JoinGroupRequest::default()
    };
    let expected = frame(&[
        &[0, 11, 0, 0, 0, 0, 0, 9, 0, 1, b'c'],
        b"\0\x01g",
        &30_000_i32.to_be_bytes(),
        b"\0\x01m",
        b"\0\x08consumer",
        &[0, 0, 0, 1],
        b"\0\x05range",
        &[0, 0, 0, 3, 1, 2, 3],
    ]);
    assert_eq!(encode_request(0, 9, Some(&Text::from("c")), &request), Ok(expected.into()));
}

#[test]
fn its_answer() {
    let response = JoinGroupResponse {
        generation_id: 4,
        protocol_name: Some("range".into()),
        leader: "m".into(),
        member_id: "m".into(),
        members: vec![JoinGroupResponseMember {
            member_id: "m".into(),
            metadata: Bytes::from_static(&[1, 2, 3]),
            ..JoinGroupResponseMember::default()
        }],
        ..JoinGroupResponse::default()
    };
    let expected = frame(&[
        &[0, 0, 0, 9],
        &[0, 0],
        &[0, 0, 0, 4],
        b"\0\x05range",
        b"\0\x01m",
        b"\0\x01m",
        &[0, 0, 0, 1],
        b"\0\x01m",
        &[0, 0, 0, 3, 1, 2, 3],
    ]);
    assert_eq!(encode_response(0, 9, &response), Ok(expected.into()));
}

#[test]
fn a_sync() {
    let request = SyncGroupRequest {
        group_id: "g".into(),
        generation_id: 4,
        member_id: "m".into(),
        assignments: vec![SyncGroupRequestAssignment { member_id: "m".into(), assignment: Bytes::from_static(&[7]) }],
        ..SyncGroupRequest::default()
    };
    let expected = frame(&[
        &[0, 14, 0, 0, 0, 0, 0, 9, 0xff, 0xff],
        b"\0\x01g",
        &[0, 0, 0, 4],
        b"\0\x01m",
        &[0, 0, 0, 1],
        b"\0\x01m",
        &[0, 0, 0, 1, 7],
    ]);
    assert_eq!(encode_request(0, 9, None, &request), Ok(expected.into()));
}

#[test]
fn its_state() {
    let response = SyncGroupResponse {
        error_code: ErrorCode::RebalanceInProgress,
        assignment: Bytes::from_static(&[7]),
        ..SyncGroupResponse::default()
    };
    let expected = frame(&[&[0, 0, 0, 9], &[0, 27], &[0, 0, 0, 1, 7]]);
    assert_eq!(encode_response(0, 9, &response), Ok(expected.into()));
}
