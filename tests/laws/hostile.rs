//! Bytes that no honest peer sends: each is an error that says where, nothing panics, and nothing is allocated for
//! lengths that are only claimed.

use bytes::{Bytes, BytesMut};
use divvy::wire::api::served;
use divvy::wire::frame::{
    Foreign, FrameLimit, Framer, decode_request, decode_response, encode_request, encode_response,
};
use divvy::wire::header::RequestHeader;
use divvy::wire::limits::{FRAME_MAX, GROUP_FRAME_MAX, OFFSETS_FRAME_MAX, READ_MIN};
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::{self, ApiVersionsResponse, HeartbeatRequest, JoinGroupRequest, MetadataRequest};
use divvy::wire::{ApiKey, DecodeError, ErrorCode, Message, Problem, Reader, Text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::counting::allocated;
use crate::oracle::versions;
use crate::schema::{self, Described, Type};

/// The most memory for each byte that is really there: a list of empty texts takes 32 for one.
const GROWTH_MAX: usize = 64;

/// Calls a check with each message's description and one thing more.
macro_rules! check_each {
    ($check:ident $with:tt $($module:ident: $($message:ident)*;)*) => {
        $($($check::<messages::$module::$message>(
            &<schema::$module::$message as Described>::described(), $with
        );)*)*
    };
}

fn whole<M: Message>(bytes: Bytes, version: i16) -> Result<M, DecodeError> {
    let mut reader = Reader::new(bytes);
    let message = M::decode(&mut reader, version)?;
    reader.finish().map(|()| message)
}

/// Valid bodies of a message, a few for each version, the short ones.
fn samples<M: Message>(kind: &Type) -> Vec<(i16, Bytes)> {
    let mut runner = TestRunner::deterministic();
    versions::<M>()
        .flat_map(|version| {
            let bodies = schema::body(kind, version);
            let draw = |_| bodies.new_tree(&mut runner).expect("nothing is filtered").current();
            let bodies: Vec<_> = (0..12).map(draw).filter(|body| body.len() < 600).take(3).collect();
            bodies.into_iter().map(move |body| (version.number, Bytes::from(body)))
        })
        .collect()
}

#[test]
fn no_truncation_of_any_message_is_read() {
    fn check<M: Message>(kind: &Type, (): ()) {
        for (version, body) in samples::<M>(kind) {
            for length in 0..body.len() {
                let error = whole::<M>(body.slice(..length), version).map(|_| ()).expect_err("too short");
                assert!(error.offset <= length, "{error}");
                assert!(!error.field.is_empty(), "{error}");
            }
        }
    }
    every_message!(check_each check ());
}

#[test]
fn no_claimed_length_costs_memory() {
    fn check<M: Message>(kind: &Type, (): ()) {
        let claims = [&[0x7f, 0xff, 0xff, 0xff][..], &[0xff, 0xff, 0xff, 0xff, 0x0f], &[0x7f, 0xff], &[0x80, 0, 0, 0]];
        for (version, body) in samples::<M>(kind) {
            for at in 0..body.len() {
                for claim in claims {
                    let end = body.len().min(at + claim.len());
                    let forged = Bytes::from([&body[..at], claim, &body[end..]].concat());
                    let (_, bytes) = allocated(|| whole::<M>(forged.clone(), version).map(|_| ()));
                    assert!(bytes <= GROWTH_MAX * forged.len(), "{:?} version {version}: {bytes} bytes", M::KEY);
                }
            }
        }
    }
    every_message!(check_each check ());
}

fn join() -> JoinGroupRequest {
    let protocol = |name| JoinGroupRequestProtocol { name: Text::from(name), metadata: Bytes::from_static(b"\0\x01") };
    JoinGroupRequest {
        group_id: "orders".into(),
        session_timeout_ms: 45_000,
        rebalance_timeout_ms: 300_000,
        member_id: "m-1".into(),
        group_instance_id: Some("i-1".into()),
        protocol_type: "consumer".into(),
        protocols: vec![protocol("range"), protocol("roundrobin")],
        ..JoinGroupRequest::default()
    }
}

fn read(frame: Bytes) -> Result<JoinGroupRequest, DecodeError> {
    let mut reader = Reader::new(frame);
    let header = RequestHeader::decode(&mut reader)?;
    decode_request(reader, header.api_version)
}

#[test]
fn no_truncation_of_a_join_frame_is_read() {
    for version in [5, 7] {
        let frame =
            encode_request(version, 1, Some(&Text::from("rdkafka")), &join()).expect("it has a form").slice(4..);
        read(frame.clone()).expect("the whole is read");
        for length in 0..frame.len() {
            let error = read(frame.slice(..length)).expect_err("too short");
            assert!(!error.field.is_empty() && error.offset <= length, "{error}");
        }
        let longer = Bytes::from([&frame[..], &[0]].concat());
        assert_eq!(read(longer).ok(), read(frame).ok(), "what follows is ignored, as Kafka does");
    }
}

#[test]
fn no_text_is_read_that_an_older_version_could_not_tell() {
    let longest = JoinGroupRequest { group_id: Text::from("g".repeat(i16::MAX as usize)), ..join() };
    let frame = encode_request(7, 1, None, &longest).expect("it has a form").slice(4..);
    assert_eq!(read(frame.clone()).expect("the longest is read").group_id, longest.group_id);
    let at = frame.windows(4).position(|bytes| bytes == [0x80, 0x80, 0x02, b'g']).expect("its length, plus one");
    let longer = Bytes::from([&frame[..at], &[0x81, 0x80, 0x02, b'g'], &frame[at + 3..]].concat());
    let error = read(longer).expect_err("one byte too long");
    assert_eq!((error.field, error.problem), ("JoinGroupRequest.group_id", Problem::TooLong(1 << 15)));
}

#[test]
fn a_claimed_count_is_refused_before_anything_is_allocated() {
    // Nothing but empty texts and a count of 2,147,483,647 protocols.
    let classic = [&[0, 0, 0, 0, 0, 0][..], &[0, 0], &[0, 0], &[0x7f, 0xff, 0xff, 0xff]].concat();
    // The same in the compact form, with the largest varint.
    let compact = [&[1, 0, 0, 0, 0, 0, 0, 0, 0][..], &[1], &[0], &[1], &[0xff, 0xff, 0xff, 0xff, 0x0f]].concat();
    for (version, body, offset) in [(0, classic, 10), (7, compact, 12)] {
        let body = Bytes::from(body);
        let _shared = body.clone();
        let (result, bytes) = allocated(|| whole::<JoinGroupRequest>(body.clone(), version));
        let error = result.expect_err("there are no protocols");
        assert_eq!((error.field, error.offset), ("JoinGroupRequest.protocols", offset));
        assert!(matches!(error.problem, Problem::Count { most: 0, .. }), "{error}");
        assert_eq!(bytes, 0);
    }
}

#[test]
fn an_array_is_bounded_even_when_the_bytes_are_there() {
    let body = [&2_000_000_i32.to_be_bytes()[..], &vec![0; 4_000_000]].concat();
    let error = whole::<messages::DescribeGroupsRequest>(body.into(), 0).expect_err("too many groups");
    assert!(matches!(error.problem, Problem::Count { count: 2_000_000, .. }), "{error}");
}

#[test]
fn null_is_refused_where_the_version_has_none() {
    let error = whole::<MetadataRequest>(Bytes::from_static(&[0xff; 4]), 0).expect_err("version 0 has no null");
    assert_eq!((error.field, error.offset, error.problem), ("MetadataRequest.topics", 0, Problem::Null));
    whole::<MetadataRequest>(Bytes::from_static(&[0xff; 4]), 1).expect("version 1 has");
    let error = whole::<HeartbeatRequest>(Bytes::from_static(&[0xff, 0xff]), 0).expect_err("a group has a name");
    assert_eq!((error.field, error.problem), ("HeartbeatRequest.group_id", Problem::Null));
}

#[test]
fn a_missing_section_of_tagged_fields_is_named() {
    let body = Bytes::from_static(&[1, 0, 0, 0, 0, 1, 0]);
    let error = whole::<HeartbeatRequest>(body, 4).expect_err("version 4 has tagged fields");
    assert_eq!((error.field, error.offset), ("tagged fields", 7));
}

#[test]
fn text_is_utf8() {
    let error = whole::<HeartbeatRequest>(Bytes::from_static(&[0, 2, 0xc3, 0x28]), 0).expect_err("not UTF-8");
    assert_eq!((error.field, error.offset, error.problem), ("HeartbeatRequest.group_id", 2, Problem::NotUtf8));
}

#[test]
fn a_version_that_is_not_served_is_an_error_both_ways() {
    let error = whole::<HeartbeatRequest>(Bytes::new(), 5).expect_err("there is no version 5");
    assert_eq!(error.problem, Problem::Version(5));
    let error = encode_request(-1, 1, None, &HeartbeatRequest::default()).expect_err("there is no version -1");
    assert_eq!(error.problem, Problem::Version(-1));
}

#[test]
fn what_cannot_be_written_leaves_the_buffer_as_it_was() {
    let mut out = BytesMut::from(&b"before"[..]);
    let request = HeartbeatRequest { group_id: "x".repeat(40_000).into(), ..HeartbeatRequest::default() };
    let error = divvy::wire::frame::put_request(&mut out, 0, 1, None, &request).expect_err("too long a text");
    assert_eq!((error.field, error.problem), ("HeartbeatRequest.group_id", Problem::TooLong(40_000)));
    assert_eq!(out, b"before"[..]);
}

#[test]
fn api_versions_of_the_future_can_be_answered() {
    let frame = Bytes::from_static(&[0, 18, 0, 99, 0, 0, 0, 7, 0xff, 0xfe, 0xfd]);
    let header = RequestHeader::decode(&mut Reader::new(frame)).expect("the first three numbers never change");
    assert_eq!((header.api_key, header.api_version, header.correlation_id), (18, 99, 7));
    assert_eq!((ApiKey::from_code(header.api_key), header.served()), (Some(ApiKey::ApiVersions), None));
    let answer = ApiVersionsResponse { error_code: ErrorCode::UnsupportedVersion, ..ApiVersionsResponse::default() };
    let frame = encode_response(0, header.correlation_id, &answer).expect("it has a form");
    assert_eq!(&frame[..], [0, 0, 0, 10, 0, 0, 0, 7, 0, 35, 0, 0, 0, 0]);
    let mut newest = frame.slice(..8).to_vec();
    newest.extend([0, 0, 1, 0, 0, 0, 0, 0]);
    let (id, _) =
        decode_response::<ApiVersionsResponse>(Bytes::from(newest).slice(4..), 4).expect("no tags in the header");
    assert_eq!(id, 7);
}

#[test]
fn a_response_header_has_tags_but_for_api_versions() {
    assert!(served(ApiKey::ApiVersions).flexible_from <= 4);
    let beat = encode_response(4, 1, &messages::HeartbeatResponse::default()).expect("it has a form");
    assert_eq!(&beat[..], [0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// A framer that was given these bytes.
fn fed(limit: FrameLimit, bytes: &[u8]) -> Framer {
    let mut framer = Framer::new(limit);
    framer.room().extend_from_slice(bytes);
    framer
}

#[test]
fn foreign_and_hostile_first_bytes_are_named() {
    let cases: [(&[u8], Option<Foreign>); 7] = [
        (&[0x16, 0x03, 0x01, 0x05, 0xef], Some(Foreign::Tls)),
        (b"GET / HTTP/1.1\r\n", Some(Foreign::Http)),
        (b"POST /x", Some(Foreign::Http)),
        (b"HTTP/1.1 400", Some(Foreign::Http)),
        (&[0x7f, 0xff, 0xff, 0xff], None),
        (&[0x80, 0, 0, 0], None),
        (&[0xff, 0xff, 0xff, 0xff], None),
    ];
    for limit in [FrameLimit::BEFORE_LOGIN, FrameLimit::REQUESTS, FrameLimit::ANSWERS] {
        for (bytes, looks_like) in cases {
            let mut framer = fed(limit, bytes);
            let (result, allocated) = allocated(|| framer.frame());
            assert_eq!(result.expect_err("no such frame").looks_like, looks_like);
            assert_eq!(allocated, 0);
        }
    }
    let error = fed(FrameLimit::REQUESTS, b"GET /").frame().expect_err("no such frame");
    assert!(error.to_string().contains("looks like HTTP"), "{error}");
}

#[test]
fn only_what_names_members_or_partitions_may_be_large() {
    let head = |length: usize, key: ApiKey| [&(length as i32).to_be_bytes()[..], &key.code().to_be_bytes()].concat();
    let cases = [
        (FrameLimit::REQUESTS, FRAME_MAX + 1, ApiKey::Metadata, Some(FRAME_MAX)),
        (FrameLimit::REQUESTS, FRAME_MAX, ApiKey::Metadata, None),
        (FrameLimit::REQUESTS, GROUP_FRAME_MAX, ApiKey::JoinGroup, None),
        (FrameLimit::REQUESTS, GROUP_FRAME_MAX, ApiKey::SyncGroup, None),
        (FrameLimit::REQUESTS, GROUP_FRAME_MAX + 1, ApiKey::SyncGroup, Some(GROUP_FRAME_MAX)),
        (FrameLimit::REQUESTS, OFFSETS_FRAME_MAX, ApiKey::OffsetCommit, None),
        (FrameLimit::REQUESTS, OFFSETS_FRAME_MAX, ApiKey::OffsetFetch, None),
        (FrameLimit::REQUESTS, OFFSETS_FRAME_MAX + 1, ApiKey::OffsetCommit, Some(OFFSETS_FRAME_MAX)),
        (FrameLimit::REQUESTS, OFFSETS_FRAME_MAX + 1, ApiKey::OffsetDelete, Some(OFFSETS_FRAME_MAX)),
        (FrameLimit::REQUESTS, OFFSETS_FRAME_MAX + 1, ApiKey::ListOffsets, Some(OFFSETS_FRAME_MAX)),
        (FrameLimit::BEFORE_LOGIN, FRAME_MAX + 1, ApiKey::JoinGroup, Some(FRAME_MAX)),
    ];
    for (limit, length, key, refused_at) in cases {
        let bytes = head(length, key);
        assert_eq!(fed(limit, &bytes).frame().map_err(|error| error.limit).err(), refused_at, "{key:?} {length}");
        let (framer, taken) = allocated(|| {
            let mut framer = fed(limit, &bytes);
            let _ = (framer.frame(), framer.room());
            framer
        });
        assert!(taken <= 2 * READ_MIN, "{taken} bytes for six that arrived");
        assert!(framer.is_mid_frame());
    }
    assert_eq!(fed(FrameLimit::REQUESTS, &head(FRAME_MAX + 1, ApiKey::Fetch)[..5]).frame(), Ok(None), "not told yet");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..300)) {
        fn check<M: Message>(_: &Type, bytes: &Bytes) {
            for version in versions::<M>() {
                let (_, taken) = allocated(|| whole::<M>(bytes.clone(), version.number).map(|_| ()));
                assert!(taken <= GROWTH_MAX * bytes.len().max(64), "{taken} bytes");
            }
        }
        let bytes = Bytes::from(bytes);
        every_message!(check_each check (&bytes));
        let _ = RequestHeader::decode(&mut Reader::new(bytes));
    }

    #[test]
    fn frames_come_out_as_they_went_in(bodies in vec(vec(any::<u8>(), 0..40), 0..9), step in 1..50_usize) {
        let stream: Vec<u8> = bodies.iter().flat_map(|body| [&(body.len() as i32).to_be_bytes()[..], body].concat()).collect();
        let mut framer = Framer::new(FrameLimit::REQUESTS);
        let mut frames = Vec::new();
        for chunk in stream.chunks(step) {
            framer.room().extend_from_slice(chunk);
            while let Some(frame) = framer.frame().expect("all are short") {
                frames.push(frame.to_vec());
            }
        }
        prop_assert_eq!(frames, bodies);
        prop_assert!(!framer.is_mid_frame());
    }
}
