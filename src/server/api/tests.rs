//! What a group keeps of a request shares nothing with the request's frame: a note of ten bytes would keep a frame of
//! 100 MiB for as long as the member lives.

use bytes::Bytes;

use super::*;
use crate::wire::Reader;
use crate::wire::divvy::{FaultTag, SyncRequestTag};
use crate::wire::frame::{decode_request, encode_request};
use crate::wire::header::RequestHeader;
use crate::wire::messages::join_group::JoinGroupRequestProtocol;
use crate::wire::messages::leave_group::MemberIdentity;
use crate::wire::messages::sync_group::SyncGroupRequestAssignment;
use crate::wire::messages::{HeartbeatRequest, JoinGroupRequest, LeaveGroupRequest, SyncGroupRequest};
use crate::wire::{Request, Text};

/// Whether nobody but us holds a request's frame, once the request itself is gone and what `ask` made of it is there.
fn is_free<R: Request, T>(version: i16, request: &R, ask: impl FnOnce(&R, &str, &mut Peer) -> T) -> bool {
    let frame = encode_request(version, 1, Some(&Text::from("client")), request).unwrap().slice(4..);
    let mut body = Reader::new(Bytes::copy_from_slice(&frame));
    drop(frame);
    let header = RequestHeader::decode(&mut body).unwrap();
    let whole = body.clone();
    let request: R = decode_request(body, version).unwrap();
    let mut peer = Peer::new(IpAddr::from([127, 0, 0, 1]));
    let kept = ask(&request, header.client_id.as_deref().unwrap_or_default(), &mut peer);
    drop((request, header));
    let free = whole.is_unique();
    drop((kept, peer));
    free
}

#[test]
fn a_join_keeps_no_frame() {
    let request = JoinGroupRequest {
        group_id: "g".into(),
        member_id: "m".into(),
        group_instance_id: Some("i".into()),
        protocol_type: "consumer".into(),
        protocols: vec![JoinGroupRequestProtocol { name: "range".into(), metadata: Bytes::from_static(b"metadata") }],
        reason: Some("why".into()),
        ..Default::default()
    };
    assert!(is_free(9, &request, |it, client, peer| join_group::ask(it, 9, client, None, peer)));
}

#[test]
fn a_sync_keeps_no_frame() {
    let assignment = Bytes::from_static(b"state");
    let mut request = SyncGroupRequest {
        group_id: "g".into(),
        member_id: "m".into(),
        protocol_type: Some("consumer".into()),
        protocol_name: Some("range".into()),
        assignments: vec![SyncGroupRequestAssignment { member_id: "m".into(), assignment }],
        ..Default::default()
    };
    let fault = FaultTag { kind: "trap".to_owned(), message: "why".to_owned(), ..Default::default() };
    let memo = Some(Bytes::from_static(b"memo"));
    SyncRequestTag { memo, fault: Some(fault), ..Default::default() }.put(&mut request.tags);
    let free = is_free(5, &request, |it, _, peer| sync_group::ask(it, SyncRequestTag::take(&it.tags).unwrap(), peer));
    assert!(free);
}

#[test]
fn a_heartbeat_and_a_leave_keep_no_frame() {
    let request = HeartbeatRequest { group_id: "g".into(), member_id: "m".into(), ..Default::default() };
    assert!(is_free(4, &request, |it, _, peer| heartbeat::ask(it, None, None, peer)));
    let members = vec![MemberIdentity { member_id: "m".into(), reason: Some("why".into()), ..Default::default() }];
    let request = LeaveGroupRequest { group_id: "g".into(), members, ..Default::default() };
    assert!(is_free(5, &request, |it, _, peer| leave_group::ask(it, 5, peer)));
}
