//! Bugs that other coordinators had with groups and their offsets. The names are those of the collection of reports.

use divvy::server::config::{Config, DataPlace};
use divvy::topics::Topic;
use divvy::wire::ErrorCode;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::offset_delete::{OffsetDeleteRequestPartition, OffsetDeleteRequestTopic};
use divvy::wire::messages::offset_fetch::OffsetFetchRequestTopic;
use divvy::wire::messages::{
    LeaveGroupRequest, ListGroupsRequest, OffsetCommitRequest, OffsetDeleteRequest, OffsetFetchRequest,
    OffsetFetchResponse,
};

use crate::support::{Client, Member, config, join, serve, state};

const PARTITIONS: i32 = 500;

fn with_topic(data: DataPlace) -> Config {
    let topic = Topic { partitions: PARTITIONS.unsigned_abs(), racks: Vec::new() };
    Config { topics: vec![("clicks".into(), topic)], data, ..config() }
}

/// A commit of these offsets by whoever; without a member: by a client that has assigned itself.
fn commit_of(group: &str, member: Option<&Member>, offsets: impl Iterator<Item = (i32, i64)>) -> OffsetCommitRequest {
    let partition = |(partition_index, committed_offset)| OffsetCommitRequestPartition {
        partition_index,
        committed_offset,
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: group.into(),
        generation_id_or_member_epoch: member.map_or(-1, |member| member.generation),
        member_id: member.map_or("", |member| &member.id).into(),
        topics: vec![OffsetCommitRequestTopic { name: "clicks".into(), partitions: offsets.map(partition).collect() }],
        ..Default::default()
    }
}

async fn commit(client: &mut Client, request: &OffsetCommitRequest) -> ErrorCode {
    client.ask(7, request).await.topics[0].partitions[0].error_code
}

async fn committed(client: &mut Client, group: &str) -> Vec<i64> {
    let topic = OffsetFetchRequestTopic { name: "clicks".into(), partition_indexes: (0..PARTITIONS).collect() };
    let request = OffsetFetchRequest { group_id: group.into(), topics: Some(vec![topic]), ..Default::default() };
    let answer: OffsetFetchResponse = client.ask(5, &request).await;
    assert_eq!(answer.error_code, ErrorCode::None);
    answer.topics[0].partitions.iter().map(|partition| partition.committed_offset).collect()
}

/// B21: who asks while a coordinator starts, twice in a row, gets every offset or waits, and never a -1 but for what was
/// deleted.
#[tokio::test]
async fn b21_offsets_are_never_missing_after_a_fail_over() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataPlace::Folder(folder.path().join("data"));
    let server = serve(with_topic(data.clone())).await;
    let mut client = Client::connect(server.addr()).await;
    let mut all: Vec<i64> = (0..i64::from(PARTITIONS)).map(|partition| partition * 7).collect();
    let offsets = (0..).zip(all.iter().copied());
    assert_eq!(commit(&mut client, &commit_of("g", None, offsets)).await, ErrorCode::None);
    let partitions = (0..PARTITIONS).step_by(9).map(|partition_index| OffsetDeleteRequestPartition { partition_index });
    let topics = vec![OffsetDeleteRequestTopic { name: "clicks".into(), partitions: partitions.collect() }];
    let deleted = client.ask(0, &OffsetDeleteRequest { group_id: "g".into(), topics, ..Default::default() }).await;
    assert!(deleted.topics[0].partitions.iter().all(|partition| partition.error_code == ErrorCode::None));
    all.iter_mut().step_by(9).for_each(|offset| *offset = -1);
    server.stop().await;
    for _ in 0..2 {
        // Not `serve`: the first question comes while the store is being read.
        let server = divvy::server::Server::start(with_topic(data.clone())).await.unwrap();
        let mut client = Client::connect(server.addr()).await;
        assert_eq!(committed(&mut client, "g").await, all);
        server.stop().await;
    }
}

/// B40: commits of clients that assign themselves, with an instance id too, as long as the group has no members; then
/// only a member's of this generation.
#[tokio::test]
async fn b40_commits_without_a_generation_and_with_a_stale_one() {
    let server = serve(with_topic(DataPlace::Memory)).await;
    let mut client = Client::connect(server.addr()).await;
    let by_nobody = |offset| {
        let mut request = commit_of("g", None, std::iter::once((0, offset)));
        request.group_instance_id = Some("i".into());
        request
    };
    assert_eq!(commit(&mut client, &by_nobody(1)).await, ErrorCode::None);
    let member = client.become_leader("g", b"all").await;
    assert_eq!(commit(&mut client, &by_nobody(2)).await, ErrorCode::UnknownMemberId);
    let stale = Member { generation: member.generation - 1, ..member.clone() };
    let offsets = || std::iter::once((0, 3));
    assert_eq!(commit(&mut client, &commit_of("g", Some(&stale), offsets())).await, ErrorCode::IllegalGeneration);
    assert_eq!(committed(&mut client, "g").await[0], 1, "what was refused changed nothing");
    assert_eq!(commit(&mut client, &commit_of("g", Some(&member), offsets())).await, ErrorCode::None);
    assert_eq!(committed(&mut client, "g").await[0], 3);
    server.stop().await;
}

/// B65: groups that live for a moment leave their offsets and nothing else; those without offsets leave nothing.
#[tokio::test]
async fn b65_hundreds_of_short_lived_groups_are_listed_and_read_again() {
    const GROUPS: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let data = DataPlace::Folder(folder.path().join("data"));
    let server = serve(with_topic(data.clone())).await;
    let mut client = Client::connect(server.addr()).await;
    for number in 0..GROUPS {
        let group = format!("g{number}");
        // Before v4 a newcomer is a member at once.
        let joined = client.ask(3, &join(&group, "")).await;
        let member = Member::of(&group, &joined);
        assert_eq!(state(&client.ask(3, &member.sync(&[(&member.id, b"all")])).await), Ok(&b"all"[..]));
        client.send(7, &commit_of(&group, Some(&member), std::iter::once((0, 1)))).await;
        let leave = LeaveGroupRequest {
            group_id: group.as_str().into(),
            member_id: member.id.as_str().into(),
            ..Default::default()
        };
        client.send(1, &leave).await;
        for _ in 0..2 {
            client.frame().await.unwrap();
        }
    }
    server.stop().await;
    let server = serve(with_topic(data)).await;
    let mut client = Client::connect(server.addr()).await;
    let listed = client.ask(4, &ListGroupsRequest::default()).await.groups;
    assert_eq!(listed.len(), GROUPS);
    assert!(listed.iter().all(|group| group.group_state == "Empty"));
    assert_eq!(client.state_of("g123").await, "Empty");
    assert_eq!(committed(&mut client, "g123").await[0], 1);
    server.stop().await;
}

/// B69: a session timeout outside the bounds is refused and makes no group; the defaults admit every client's own.
#[tokio::test]
async fn b69_session_timeouts_have_bounds_that_all_clients_fit() {
    let limits = Config::default().limits;
    let server = serve(Config { limits, ..config() }).await;
    let mut client = Client::connect(server.addr()).await;
    for (session_timeout_ms, fits) in [
        (0, false),
        (10, false),
        (5_999, false),
        (6_000, true),
        (10_000, true),
        (30_000, true),
        (45_000, true),
        (1_800_000, true),
        (1_800_001, false),
        (-1, false),
        (i32::MIN, false),
    ] {
        let group = format!("session-{session_timeout_ms}");
        let mut request = join(&group, "");
        request.session_timeout_ms = session_timeout_ms;
        let expected = if fits { ErrorCode::MemberIdRequired } else { ErrorCode::InvalidSessionTimeout };
        assert_eq!(client.ask(5, &request).await.error_code, expected, "{session_timeout_ms}");
        if !fits {
            assert_eq!(client.state_of(&group).await, "Dead");
        }
    }
    server.stop().await;
}
