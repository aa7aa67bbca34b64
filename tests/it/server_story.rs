//! The smallest stories over real sockets: join, sync, heartbeat, leave; order of answers; offsets.

use divvy::wire::ErrorCode;
use divvy::wire::messages::leave_group::MemberIdentity;
use divvy::wire::messages::metadata::MetadataRequestTopic;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::offset_fetch::{OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics};
use divvy::wire::messages::{
    ApiVersionsRequest, ApiVersionsResponse, FetchRequest, FetchResponse, FindCoordinatorRequest, HeartbeatResponse,
    JoinGroupResponse, LeaveGroupRequest, LeaveGroupResponse, ListGroupsRequest, MetadataRequest, OffsetCommitRequest,
    OffsetFetchRequest,
};

use crate::support::{Client, Member, config, join, serve, state};

#[tokio::test]
async fn two_members_share_a_generation_and_part() {
    let server = serve(config()).await;
    let (mut a, mut b) = (Client::connect(server.addr()).await, Client::connect(server.addr()).await);
    let first = a.become_leader("g", b"all").await;
    assert_eq!(first.generation, 1);
    assert_eq!(a.ask(3, &first.heartbeat()).await.error_code, ErrorCode::None);

    // A follower of the oldest versions: no handshake, and its SyncGroup comes before the leader's.
    b.send(0, &join("g", "")).await;
    while a.ask(3, &first.heartbeat()).await.error_code != ErrorCode::RebalanceInProgress {}
    let led = a.ask(5, &join("g", &first.id)).await;
    let (_, followed) = b.receive::<JoinGroupResponse>(0).await;
    assert_eq!((led.generation_id, followed.generation_id), (2, 2));
    assert_eq!((led.members.len(), followed.members.len()), (2, 0));
    let (leader, follower) = (Member::of("g", &led), Member::of("g", &followed));
    b.send(0, &follower.sync(&[])).await;
    let synced = a.ask(3, &leader.sync(&[(&leader.id, b"one"), (&follower.id, b"two")])).await;
    assert_eq!(state(&synced), Ok(&b"one"[..]));
    assert_eq!(state(&b.receive(0).await.1), Ok(&b"two"[..]));

    let leave =
        LeaveGroupRequest { group_id: "g".into(), member_id: follower.id.as_str().into(), ..Default::default() };
    assert_eq!(b.ask(1, &leave).await.error_code, ErrorCode::None);
    assert_eq!(b.ask(1, &leave).await.error_code, ErrorCode::UnknownMemberId);
    assert_eq!(a.ask(3, &leader.heartbeat()).await.error_code, ErrorCode::RebalanceInProgress);
    let gone = |id: &str| MemberIdentity { member_id: id.into(), ..Default::default() };
    let leave =
        LeaveGroupRequest { group_id: "g".into(), members: vec![gone(&leader.id), gone("x")], ..Default::default() };
    let left: LeaveGroupResponse = a.ask(5, &leave).await;
    let errors: Vec<ErrorCode> = left.members.iter().map(|member| member.error_code).collect();
    assert_eq!((left.error_code, errors), (ErrorCode::None, vec![ErrorCode::None, ErrorCode::UnknownMemberId]));
    assert_eq!(a.state_of("g").await, "Empty");
    server.stop().await;
}

#[tokio::test]
async fn answers_keep_the_order_of_pipelined_requests() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("g", b"all").await;
    let other = Client::connect(server.addr()).await.ask(5, &join("g", "")).await;

    // A parked JoinGroup, and behind it what is answered at once, by a timer and by another group.
    let joined = client.send(5, &join("g", &member.id)).await;
    let versions = client.send(3, &versions()).await;
    let fetched = client.send(11, &FetchRequest { max_wait_ms: 50, ..Default::default() }).await;
    let beaten = client.send(3, &Member { group: "none".into(), ..member.clone() }.heartbeat()).await;
    let leave = LeaveGroupRequest { group_id: "g".into(), member_id: other.member_id, ..Default::default() };
    let left = client.send(1, &leave).await;
    assert_eq!(client.receive::<JoinGroupResponse>(5).await.0, joined);
    assert_eq!(client.receive::<ApiVersionsResponse>(3).await.0, versions);
    assert_eq!(client.receive::<FetchResponse>(11).await.0, fetched);
    let (id, heartbeat) = client.receive::<HeartbeatResponse>(3).await;
    assert_eq!((id, heartbeat.error_code), (beaten, ErrorCode::UnknownMemberId));
    assert_eq!(client.receive::<LeaveGroupResponse>(1).await.0, left);
    server.stop().await;
}

#[tokio::test]
async fn a_thousand_heartbeats_at_once_are_a_thousand_answers_in_order() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("g", b"all").await;
    let mut sent = Vec::new();
    for _ in 0..3000 {
        sent.push(client.send(3, &member.heartbeat()).await);
    }
    for id in sent {
        let (answered, heartbeat) = client.receive::<HeartbeatResponse>(3).await;
        assert_eq!((answered, heartbeat.error_code), (id, ErrorCode::None));
    }
    server.stop().await;
}

#[tokio::test]
async fn offsets_are_committed_and_fetched_in_old_and_new_versions() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    create_by_naming(&mut client, "clicks").await;
    let commit = |generation, partitions: &[i32]| OffsetCommitRequest {
        group_id: "tool".into(),
        generation_id_or_member_epoch: generation,
        topics: vec![OffsetCommitRequestTopic {
            name: "clicks".into(),
            partitions: partitions.iter().map(|index| at(*index, 7)).collect(),
            ..Default::default()
        }],
        ..Default::default()
    };
    let errors = |response: divvy::wire::messages::OffsetCommitResponse| -> Vec<ErrorCode> {
        response.topics[0].partitions.iter().map(|partition| partition.error_code).collect()
    };
    // Scenario 62: a generation of a group that does not exist.
    assert_eq!(errors(client.ask(8, &commit(1, &[0])).await), [ErrorCode::IllegalGeneration]);
    assert_eq!(errors(client.ask(9, &commit(1, &[0])).await), [ErrorCode::GroupIdNotFound]);
    let unknown = ErrorCode::UnknownTopicOrPartition;
    assert_eq!(errors(client.ask(2, &commit(-1, &[0, 99, 1])).await), [ErrorCode::None, unknown, ErrorCode::None]);
    assert_eq!(errors(client.ask(2, &commit(-1, &[99])).await), [unknown]);

    let one = OffsetFetchRequest {
        group_id: "tool".into(),
        topics: Some(vec![OffsetFetchRequestTopic {
            name: "clicks".into(),
            partition_indexes: vec![0, 2],
            ..Default::default()
        }]),
        ..Default::default()
    };
    for version in [1, 5, 7] {
        let fetched = client.ask(version, &one).await;
        let offsets: Vec<i64> = fetched.topics[0].partitions.iter().map(|it| it.committed_offset).collect();
        assert_eq!(offsets, [7, -1], "v{version}");
    }
    let all = |group: &str| OffsetFetchRequestGroup { group_id: group.into(), topics: None, ..Default::default() };
    let some = OffsetFetchRequestGroup {
        group_id: "other".into(),
        topics: Some(vec![OffsetFetchRequestTopics {
            name: "clicks".into(),
            partition_indexes: vec![3],
            ..Default::default()
        }]),
        ..Default::default()
    };
    let several = OffsetFetchRequest { groups: vec![all("tool"), some, all("nobody")], ..Default::default() };
    let fetched = client.ask(8, &several).await;
    let groups: Vec<(&str, usize)> = fetched
        .groups
        .iter()
        .map(|it| (&*it.group_id, it.topics.iter().map(|topic| topic.partitions.len()).sum()))
        .collect();
    assert_eq!(groups, [("tool", 2), ("other", 1), ("nobody", 0)]);
    server.stop().await;
}

#[tokio::test]
async fn every_group_is_coordinated_here_and_listed() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    client.become_leader("g", b"all").await;
    let found = client.ask(2, &FindCoordinatorRequest { key: "g".into(), ..Default::default() }).await;
    assert_eq!((found.error_code, found.node_id, found.port), (ErrorCode::None, 0, i32::from(server.addr().port())));
    let batch = FindCoordinatorRequest { coordinator_keys: vec!["a".into(), "b".into()], ..Default::default() };
    assert_eq!(client.ask(6, &batch).await.coordinators.len(), 2);
    let transaction = FindCoordinatorRequest { key_type: 1, coordinator_keys: vec!["a".into()], ..Default::default() };
    assert_eq!(client.ask(4, &transaction).await.coordinators[0].error_code, ErrorCode::InvalidRequest);

    // Scenario 76: filters in odd case.
    for (states, types, expected) in
        [(&["sTABLE"][..], &[][..], 1), (&[], &["CLASSIC"], 1), (&["empty"], &[], 0), (&[], &["unknown"], 0)]
    {
        let list = ListGroupsRequest {
            states_filter: states.iter().map(|it| (*it).into()).collect(),
            types_filter: types.iter().map(|it| (*it).into()).collect(),
            ..Default::default()
        };
        assert_eq!(client.ask(5, &list).await.groups.len(), expected, "{states:?} {types:?}");
    }
    // Scenario 75: a group that does not exist.
    assert_eq!(client.state_of("nobody").await, "Dead");
    server.stop().await;
}

fn versions() -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: "it".into(),
        client_software_version: "1.0".into(),
        ..Default::default()
    }
}

fn at(partition_index: i32, committed_offset: i64) -> OffsetCommitRequestPartition {
    OffsetCommitRequestPartition { partition_index, committed_offset, ..Default::default() }
}

async fn create_by_naming(client: &mut Client, topic: &str) {
    let named = MetadataRequestTopic { name: Some(topic.into()), ..Default::default() };
    let request = MetadataRequest { topics: Some(vec![named]), ..Default::default() };
    assert_eq!(client.ask(4, &request).await.topics[0].error_code, ErrorCode::None);
}
