//! divvy's own tagged fields come back as they were sent, from a peer of any age.

use bytes::Bytes;
use divvy::ids::{Digest, Mode, Protocol, TopicName};
use divvy::wire::divvy::{
    ApiVersionsTag, DescribeTag, FaultTag, HeartbeatRequestTag, JoinRequestTag, JoinResponseTag, StandInTag,
    SyncRequestTag, SyncResponseTag,
};
use divvy::wire::frame::{decode_response, encode_response};
use divvy::wire::limits::{DIVVY_TAG_MAX, MEMO_MAX, MODULES_MAX};
use divvy::wire::messages::{JoinGroupResponse, SyncGroupResponse};
use divvy::wire::{Problem, Tags};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn modules() -> impl Strategy<Value = Vec<(Protocol, Digest)>> {
    vec((".{0,12}".prop_map(Protocol::from), any::<[u8; 32]>().prop_map(Digest)), 0..4)
}

fn memo() -> impl Strategy<Value = Option<Bytes>> {
    option::of(vec(any::<u8>(), 0..300).prop_map(Bytes::from))
}

fn fault() -> impl Strategy<Value = FaultTag> {
    (".{0,9}", option::of(any::<[u8; 32]>()), ".{0,9}", ".{0,300}").prop_map(|(protocol, digest, kind, message)| {
        FaultTag { protocol: protocol.into(), digest: digest.map(Digest), kind, message }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_join_comes_back(modules in modules(), settings in ".{0,40}", settings_hash: u64, memo in memo(), wait_ms: Option<u32>,
                         suspended in vec((".{0,9}".prop_map(Protocol::from), any::<i64>(), ".{0,9}"), 0..3)) {
        let mut tags = Tags::default();
        let ask = JoinRequestTag { modules: modules.clone() };
        let beat = HeartbeatRequestTag { modules: Some(modules), wait_ms };
        let answer = JoinResponseTag { settings, settings_hash, suspended, memo };
        ask.put(&mut tags);
        beat.put(&mut tags);
        answer.put(&mut tags);
        prop_assert_eq!(JoinRequestTag::take(&tags), Ok(Some(ask)));
        prop_assert_eq!(HeartbeatRequestTag::take(&tags), Ok(Some(beat)));
        prop_assert_eq!(JoinResponseTag::take(&tags), Ok(Some(answer)));
    }

    #[test]
    fn a_sync_comes_back(digest in option::of(any::<[u8; 32]>()), settings_hash: u64, copies: u16, complete: bool,
                         topics in vec((".{0,9}".prop_map(TopicName::from), any::<u32>()), 0..5), memo in memo(),
                         fault in option::of(fault()), failed: bool, cooperative: bool,
                         asked_ms: Option<i64>) {
        let mode = if cooperative { Mode::Cooperative } else { Mode::Eager };
        let sent = SyncRequestTag {
            digest: digest.map(Digest), settings_hash, topics, copies, complete, mode, asked_ms, memo, fault, failed,
        };
        let mut tags = Tags::default();
        sent.put(&mut tags);
        prop_assert_eq!(SyncRequestTag::take(&tags), Ok(Some(sent)));
    }

    #[test]
    fn a_states_answer_comes_back(reason in ".{0,40}", stand_in in option::of((".{0,30}", ".{0,300}"))) {
        let sent = SyncResponseTag { reason, stand_in: stand_in.map(|(by, reason)| StandInTag { by, reason }) };
        let mut tags = Tags::default();
        sent.put(&mut tags);
        prop_assert_eq!(SyncResponseTag::take(&tags), Ok(Some(sent)));
    }

    #[test]
    fn any_bytes_are_taken_without_a_panic(bytes in vec(any::<u8>(), 0..200)) {
        let mut tags = Tags::default();
        for tag in 17408..17415 {
            tags.set(tag, bytes.clone().into());
        }
        let _ = (ApiVersionsTag::take(&tags), JoinRequestTag::take(&tags), JoinResponseTag::take(&tags));
        let _ = (SyncRequestTag::take(&tags), SyncResponseTag::take(&tags), HeartbeatRequestTag::take(&tags));
        let _ = DescribeTag::take(&tags);
    }
}

/// Tags with one of these bytes.
fn tagged(tag: u32, bytes: impl Into<Bytes>) -> Tags {
    let mut tags = Tags::default();
    tags.set(tag, bytes.into());
    tags
}

#[test]
fn without_a_tag_there_is_nothing() {
    assert_eq!(ApiVersionsTag::take(&Tags::default()), Ok(None));
}

#[test]
fn a_newer_peer_may_say_more() {
    let bytes = b"\x83\xa7version\xa31.0\xa4soon\x93\x01\x02\x03\xa5later\x81\xa1a\xc0";
    assert_eq!(
        ApiVersionsTag::take(&tagged(ApiVersionsTag::TAG, &bytes[..])),
        Ok(Some(ApiVersionsTag { version: "1.0".to_owned() }))
    );
}

#[test]
fn an_older_peer_may_say_less() {
    assert_eq!(SyncRequestTag::take(&tagged(SyncRequestTag::TAG, &b"\x80"[..])), Ok(Some(SyncRequestTag::default())));
}

#[test]
fn what_is_too_long_is_refused() {
    let mut tags = Tags::default();
    let digest = Digest([7; 32]);
    JoinRequestTag { modules: vec![(Protocol::from("p"), digest); MODULES_MAX + 1] }.put(&mut tags);
    let error = JoinRequestTag::take(&tags).expect_err("too many modules");
    assert_eq!(error.problem, Problem::Count { count: MODULES_MAX + 1, most: MODULES_MAX });
    let memo = Some(Bytes::from(vec![0; MEMO_MAX + 1]));
    SyncRequestTag { memo, ..SyncRequestTag::default() }.put(&mut tags);
    let error = SyncRequestTag::take(&tags).expect_err("too long a memo");
    assert_eq!(error.problem, Problem::TooLong(MEMO_MAX + 1));
    let error = SyncResponseTag::take(&tagged(SyncResponseTag::TAG, vec![0xc0; DIVVY_TAG_MAX + 1]));
    assert_eq!(error.expect_err("too long a field").problem, Problem::TooLong(DIVVY_TAG_MAX + 1));
}

#[test]
fn what_nests_too_deep_is_refused() {
    let deep = [&b"\x81\xa4soon"[..], &[0x91; 100_000], &[0xc0]].concat();
    SyncResponseTag::take(&tagged(SyncResponseTag::TAG, deep)).expect_err("depth is bounded");
}

#[test]
fn they_travel_in_flexible_versions_alone() {
    let mut answer = JoinGroupResponse::default();
    JoinResponseTag { settings_hash: 5, ..JoinResponseTag::default() }.put(&mut answer.tags);
    let travel = |version| {
        let frame = encode_response(version, 1, &answer).expect("it has a form");
        decode_response::<JoinGroupResponse>(frame.slice(4..), version).expect("it is read").1
    };
    assert_eq!(JoinResponseTag::take(&travel(7).tags).expect("it is one").map(|tag| tag.settings_hash), Some(5));
    assert_eq!(JoinResponseTag::take(&travel(5).tags), Ok(None));
    assert_eq!(SyncResponseTag::take(&SyncGroupResponse::default().tags), Ok(None));
}
