//! The requests of the load, as unmodified clients send them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::Result;
use bytes::Bytes;
use divvy::wire::frame::{decode_response, encode_request};
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::leave_group::MemberIdentity;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::offset_fetch::OffsetFetchRequestGroup;
use divvy::wire::messages::sync_group::SyncGroupRequestAssignment;
use divvy::wire::messages::{
    HeartbeatRequest, JoinGroupRequest, LeaveGroupRequest, OffsetCommitRequest, OffsetFetchRequest, SyncGroupRequest,
};
use divvy::wire::{EncodeError, Request, Text};

pub const HEARTBEAT_VERSION: i16 = 4;
pub const JOIN_VERSION: i16 = 7;
pub const SYNC_VERSION: i16 = 5;
pub const LEAVE_VERSION: i16 = 4;
pub const COMMIT_VERSION: i16 = 8;
pub const FETCH_VERSION: i16 = 8;

/// A frame with a request.
pub fn frame<R: Request>(version: i16, id: i32, request: &R) -> Result<Bytes, EncodeError> {
    encode_request(version, id, Some(&Text::from("bench")), request)
}

/// JoinGroup.
pub fn join(group: &Text, member: &Text, session_ms: i32, metadata: Bytes) -> JoinGroupRequest {
    JoinGroupRequest {
        group_id: group.clone(),
        session_timeout_ms: session_ms,
        rebalance_timeout_ms: 60_000,
        member_id: member.clone(),
        protocol_type: Text::from("consumer"),
        protocols: vec![JoinGroupRequestProtocol { name: Text::from("range"), metadata }],
        ..Default::default()
    }
}

/// SyncGroup; a leader brings the same state for everybody.
pub fn sync(group: &Text, member: &Text, generation: i32, members: &[Text], state: &Bytes) -> SyncGroupRequest {
    let state_of = |member: &Text| SyncGroupRequestAssignment { member_id: member.clone(), assignment: state.clone() };
    SyncGroupRequest {
        group_id: group.clone(),
        generation_id: generation,
        member_id: member.clone(),
        protocol_type: Some(Text::from("consumer")),
        protocol_name: Some(Text::from("range")),
        assignments: members.iter().map(state_of).collect(),
        ..Default::default()
    }
}

pub fn heartbeat(group: &Text, member: &Text, generation: i32) -> HeartbeatRequest {
    HeartbeatRequest {
        group_id: group.clone(),
        generation_id: generation,
        member_id: member.clone(),
        ..Default::default()
    }
}

pub fn leave(group: &Text, member: &Text) -> LeaveGroupRequest {
    let members = vec![MemberIdentity { member_id: member.clone(), ..Default::default() }];
    LeaveGroupRequest { group_id: group.clone(), members, ..Default::default() }
}

/// OffsetCommit of a client that is no member: the same offset for all these partitions.
pub fn commit(group: &Text, topic: &str, partitions: std::ops::Range<i32>, offset: i64) -> OffsetCommitRequest {
    let partition = |partition_index| OffsetCommitRequestPartition {
        partition_index,
        committed_offset: offset,
        ..Default::default()
    };
    let topic = OffsetCommitRequestTopic { name: Text::from(topic), partitions: partitions.map(partition).collect() };
    OffsetCommitRequest { group_id: group.clone(), topics: vec![topic], ..Default::default() }
}

/// OffsetFetch of everything that a group has committed.
pub fn fetch(group: &Text) -> OffsetFetchRequest {
    let group = OffsetFetchRequestGroup { group_id: group.clone(), topics: None, ..Default::default() };
    OffsetFetchRequest { groups: vec![group], ..Default::default() }
}

/// One request over a connection of its own.
pub fn ask<R: Request>(addr: SocketAddr, version: i16, request: &R) -> Result<R::Response> {
    let mut stream = TcpStream::connect(addr)?;
    stream.write_all(&frame(version, 1, request)?)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut answer = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut answer)?;
    Ok(decode_response(answer.into(), version)?.1)
}

/// A consumer's subscription of so many bytes, as far as its user data can fill them up; `mark` makes it differ.
pub fn subscription(bytes: usize, mark: u64) -> Bytes {
    let mut encoded = vec![0, 1, 0, 0, 0, 1, 0, 7];
    encoded.extend_from_slice(b"bench-0");
    let rest = bytes.saturating_sub(encoded.len() + 8).max(8);
    encoded.extend_from_slice(&(rest as u32).to_be_bytes());
    let data = encoded.len();
    encoded.resize(data + rest, b'm');
    encoded[data..data + 8].copy_from_slice(&mark.to_be_bytes());
    encoded.extend_from_slice(&[0; 4]);
    encoded.into()
}

/// A consumer's assignment of partition 0, filled up to so many bytes.
pub fn assignment(bytes: usize) -> Bytes {
    marked_assignment(bytes, 0)
}

/// One that differs from others by a number.
pub fn marked_assignment(bytes: usize, mark: u64) -> Bytes {
    let mut encoded = vec![0, 1, 0, 0, 0, 1, 0, 7];
    encoded.extend_from_slice(b"bench-0");
    encoded.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0]);
    let rest = bytes.saturating_sub(encoded.len() + 4);
    encoded.extend_from_slice(&(rest as u32).to_be_bytes());
    let data = encoded.len();
    encoded.resize(data + rest, b's');
    if let Some(place) = encoded[data..].first_chunk_mut() {
        *place = mark.to_be_bytes();
    }
    encoded.into()
}
