//! Plans of divvy leaders are checked before they are handed out.

use bytes::Bytes;
use divvy::ids::Digest;
use divvy::wire::ErrorCode;
use divvy::wire::divvy::{FaultTag, JoinRequestTag, SyncRequestTag, SyncResponseTag};
use divvy::wire::messages::{JoinGroupRequest, SyncGroupRequest};

use crate::support::{Client, Member, config, join, metric, serve};

/// A subscription to `t`, as the proposal writes it.
const READS_T: &[u8] = b"\x00\x00\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff";
/// Partitions 0 and 1 of `t`, and 0 alone.
const BOTH: &[u8] =
    b"\x00\x00\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xff";
const HALF: &[u8] = b"\x00\x00\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01\x00\x00\x00\x00\xff\xff\xff\xff";

const DIGEST: Digest = Digest([0xcd; 32]);

fn divvy_join(member: &str) -> JoinGroupRequest {
    let mut request = join("g", member);
    request.protocol_type = "consumer".into();
    request.protocols[0].name = "own@1".into();
    request.protocols[0].metadata = Bytes::from_static(READS_T);
    JoinRequestTag { modules: vec![("own@1".into(), DIGEST)] }.put(&mut request.tags);
    request
}

fn divvy_sync(member: &Member, state: &'static [u8], tag: &SyncRequestTag) -> SyncGroupRequest {
    let mut request = member.sync(&[(&member.id, state)]);
    (request.protocol_type, request.protocol_name) = (Some("consumer".into()), Some("own@1".into()));
    tag.put(&mut request.tags);
    request
}

#[tokio::test]
async fn a_plan_that_breaks_a_rule_is_refused_with_the_reason() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let id = client.ask(7, &divvy_join("")).await.member_id;
    let member = Member::of("g", &client.ask(7, &divvy_join(&id)).await);
    let tag = SyncRequestTag {
        digest: Some(DIGEST),
        settings_hash: divvy::group::GroupSettings::default().hash(),
        topics: vec![("t".into(), 2)],
        copies: 1,
        complete: true,
        ..Default::default()
    };
    let refused = client.ask(5, &divvy_sync(&member, HALF, &tag)).await;
    assert_eq!(refused.error_code, ErrorCode::RebalanceInProgress);
    let reason = SyncResponseTag::take(&refused.tags).unwrap().unwrap().reason;
    assert!(reason.contains('t') && reason.contains('1'), "{reason}");

    // The next generation may begin a moment later: a broken strategy must not become a storm.
    let member = Member::of("g", &client.ask(7, &divvy_join(&id)).await);
    assert_eq!(member.generation, 2);
    let accepted = client.ask(5, &divvy_sync(&member, BOTH, &tag)).await;
    assert_eq!((accepted.error_code, &accepted.assignment[..]), (ErrorCode::None, BOTH));
    assert_eq!(metric(&server.handle().metrics_text().await, "divvy_plans_refused_total"), 1);
    server.stop().await;
}

/// The proposal: a leader may transmit an error instead of a plan.
#[tokio::test]
async fn a_leaders_error_is_told_and_counted() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let id = client.ask(7, &divvy_join("")).await.member_id;
    let member = Member::of("g", &client.ask(7, &divvy_join(&id)).await);
    let fault = FaultTag {
        protocol: "own@1".into(),
        digest: Some(DIGEST),
        kind: "trap".to_owned(),
        message: "it went wrong".to_owned(),
    };
    let tag = SyncRequestTag { failed: true, fault: Some(fault), ..Default::default() };
    let told = client.ask(5, &divvy_sync(&member, b"", &tag)).await;
    assert_eq!(told.error_code, ErrorCode::RebalanceInProgress);
    assert_eq!(metric(&server.handle().metrics_text().await, "divvy_modules_failed_total{kind=\"trap\"}"), 1);
    server.stop().await;
}

/// From v5 on both names are mandatory, whatever the group is (scenario 24).
#[tokio::test]
async fn a_sync_without_its_names_is_refused() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("g", b"all").await;
    for (protocol_type, protocol_name) in
        [(None, None), (Some("test"), None), (None, Some("own")), (Some("test"), Some("x"))]
    {
        let request = SyncGroupRequest {
            protocol_type: protocol_type.map(Into::into),
            protocol_name: protocol_name.map(Into::into),
            ..member.sync(&[])
        };
        assert_eq!(client.ask(5, &request).await.error_code, ErrorCode::InconsistentGroupProtocol);
    }
    server.stop().await;
}
