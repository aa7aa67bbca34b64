//! Plans of divvy leaders are checked before they are handed out.

use std::path::Path;

use bytes::Bytes;
use divvy::embedded::single_writer::{Candidate, Role};
use divvy::group::{ForeignPlanCheck, GroupSettings};
use divvy::ids::Digest;
use divvy::sandbox::{Sandbox, SandboxLimits};
use divvy::server::config::Config;
use divvy::wire::ErrorCode;
use divvy::wire::divvy::{FaultTag, JoinRequestTag, SyncRequestTag, SyncResponseTag};
use divvy::wire::messages::create_topics::CreatableTopic;
use divvy::wire::messages::{CreateTopicsRequest, JoinGroupRequest, SyncGroupRequest, SyncGroupResponse};

use crate::member_ground::{Folder, built};
use crate::support::{Client, Member, config, join, metric, serve, within};

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

/// An unmodified client leads, and gives what it must not.
async fn foreign_plan(client: &mut Client, state: &'static [u8]) -> SyncGroupResponse {
    let foreign = |member: &str| {
        let mut request = divvy_join(member);
        request.tags = Default::default();
        request.protocols[0].name = "range".into();
        request
    };
    let id = client.ask(7, &foreign("")).await.member_id;
    let member = Member::of("g", &client.ask(7, &foreign(&id)).await);
    client.ask(3, &member.sync(&[(&member.id, state)])).await
}

#[tokio::test]
async fn a_foreign_plan_that_no_member_survives_is_reported_or_refused() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let handed_out = foreign_plan(&mut client, b"\x00\x00\x00").await;
    assert_eq!((handed_out.error_code, &handed_out.assignment[..]), (ErrorCode::None, &b"\x00\x00\x00"[..]));
    within(async {
        while metric(&server.handle().metrics_text().await, "divvy_plans_questioned_total") == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server.stop().await;

    let settings = GroupSettings { plan_check_foreign: ForeignPlanCheck::Enforce, ..Default::default() };
    let server = serve(Config { groups: vec![("g".to_owned(), settings)], ..config() }).await;
    let mut client = Client::connect(server.addr()).await;
    let refused = foreign_plan(&mut client, b"\x00\x00\x00").await;
    assert_eq!(refused.error_code, ErrorCode::RebalanceInProgress);
    assert_eq!(metric(&server.handle().metrics_text().await, "divvy_plans_refused_total"), 1);
    server.stop().await;
}

/// A topic that grew while the plan was being made: the plan is handed out, and followed by one rebalance.
#[tokio::test]
async fn a_plan_older_than_its_topics_is_no_fault() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let topic = CreatableTopic { name: "t".into(), num_partitions: 2, replication_factor: -1, ..Default::default() };
    client.ask(7, &CreateTopicsRequest { topics: vec![topic], ..Default::default() }).await;
    let id = client.ask(7, &divvy_join("")).await.member_id;
    let member = Member::of("g", &client.ask(7, &divvy_join(&id)).await);
    let mut tag = SyncRequestTag {
        digest: Some(DIGEST),
        settings_hash: GroupSettings::default().hash(),
        topics: vec![("t".into(), 1)],
        copies: 1,
        complete: true,
        ..Default::default()
    };
    let older = client.ask(5, &divvy_sync(&member, HALF, &tag)).await;
    assert_eq!((older.error_code, &older.assignment[..]), (ErrorCode::None, HALF));
    assert_eq!(client.ask(4, &member.heartbeat()).await.error_code, ErrorCode::RebalanceInProgress);
    let member = Member::of("g", &client.ask(7, &divvy_join(&id)).await);
    tag.topics = vec![("t".into(), 2)];
    let newer = client.ask(5, &divvy_sync(&member, BOTH, &tag)).await;
    assert_eq!((newer.error_code, &newer.assignment[..]), (ErrorCode::None, BOTH));
    assert_eq!(client.ask(4, &member.heartbeat()).await.error_code, ErrorCode::None);
    let metrics = server.handle().metrics_text().await;
    assert_eq!(metric(&metrics, "divvy_rebalances_total{trigger=\"topics_changed\"}"), 1);
    assert_eq!(metric(&metrics, "divvy_plans_refused_total"), 0);
    server.stop().await;
}

/// Native rules see one active member; that the epoch is another generation's only the module's own check knows.
#[tokio::test]
async fn a_modules_own_check_is_asked_where_the_coordinator_has_the_module() {
    let folder = Folder::with(&[("active-standby", built("active-standby"))]);
    let server = serve(Config { assignors: Some(folder.path().to_owned()), ..config() }).await;
    let made =
        Sandbox::new(SandboxLimits::default()).unwrap().load(&built("active-standby"), Path::new("x.wasm")).unwrap();
    let digest = made.digest();
    assert!(server.handle().module(&digest).is_some());
    let mut client = Client::connect(server.addr()).await;
    let ask = |member: &str| {
        let mut request = divvy_join(member);
        request.protocol_type = "single-writer".into();
        request.protocols[0].name = "active-standby@1".into();
        request.protocols[0].metadata = Candidate::default().encode().into();
        request.tags = Default::default();
        JoinRequestTag { modules: vec![("active-standby@1".into(), digest)] }.put(&mut request.tags);
        request
    };
    let id = client.ask(7, &ask("")).await.member_id;
    let bring = |member: &Member, epoch: i32| {
        let role = Role { active: true, epoch, active_member: member.id.as_str().into() };
        let mut request = member.sync(&[(&member.id, b"")]);
        request.assignments[0].assignment = role.encode().into();
        (request.protocol_type, request.protocol_name) =
            (Some("single-writer".into()), Some("active-standby@1".into()));
        let (digest, settings_hash) = (Some(digest), GroupSettings::default().hash());
        SyncRequestTag { digest, settings_hash, copies: 1, complete: true, asked_ms: Some(0), ..Default::default() }
            .put(&mut request.tags);
        request
    };
    let member = Member::of("g", &client.ask(7, &ask(&id)).await);
    let refused = client.ask(5, &bring(&member, member.generation + 1)).await;
    assert_eq!(refused.error_code, ErrorCode::RebalanceInProgress);
    let reason = SyncResponseTag::take(&refused.tags).unwrap().unwrap().reason;
    assert!(reason.contains("its module's own check objects: a state's epoch is not the generation"), "{reason}");

    let member = Member::of("g", &client.ask(7, &ask(&id)).await);
    assert_eq!(client.ask(5, &bring(&member, member.generation)).await.error_code, ErrorCode::None);
    server.stop().await;
}
