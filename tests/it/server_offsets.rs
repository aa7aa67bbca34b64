//! Offsets and their groups over the wire: every version of what commits, fetches, lists and deletes them.

use std::time::Duration;

use bytes::Bytes;
use divvy::embedded::consumer::{Assignment, Subscription, TopicPartitions};
use divvy::group::{CommitCheck, GroupSettings};
use divvy::server::Server;
use divvy::server::config::Config;
use divvy::topics::Topic;
use divvy::wire::ErrorCode;
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::offset_delete::{OffsetDeleteRequestPartition, OffsetDeleteRequestTopic};
use divvy::wire::messages::offset_fetch::{OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics};
use divvy::wire::messages::sync_group::SyncGroupRequestAssignment;
use divvy::wire::messages::{
    DeleteGroupsRequest, JoinGroupRequest, LeaveGroupRequest, ListGroupsRequest, OffsetCommitRequest,
    OffsetDeleteRequest, OffsetFetchRequest, SyncGroupRequest, SyncGroupResponse,
};

use crate::support::{Client, Member, config, join, metric, serve, within};

fn with_topic() -> Config {
    Config { topics: vec![("clicks".into(), Topic { partitions: 8, racks: Vec::new() })], ..config() }
}

fn commit(group: &str, offsets: &[(i32, i64)]) -> OffsetCommitRequest {
    let partition = |(partition_index, committed_offset): &(i32, i64)| OffsetCommitRequestPartition {
        partition_index: *partition_index,
        committed_offset: *committed_offset,
        ..Default::default()
    };
    let partitions = offsets.iter().map(partition).collect();
    OffsetCommitRequest {
        group_id: group.into(),
        topics: vec![OffsetCommitRequestTopic { name: "clicks".into(), partitions }],
        ..Default::default()
    }
}

async fn committed(client: &mut Client, version: i16, request: &OffsetCommitRequest) -> Vec<ErrorCode> {
    let answer = client.ask(version, request).await;
    answer.topics.iter().flat_map(|topic| topic.partitions.iter().map(|it| it.error_code)).collect()
}

/// What OffsetFetch says of partitions 0 and 1 of each group: offset, epoch and note.
type Fetched = Vec<Vec<(i64, i32, String)>>;

async fn fetched(client: &mut Client, version: i16, groups: &[&str]) -> Fetched {
    let names = || ("clicks".into(), vec![0, 1]);
    if version >= 8 {
        let of = |group: &&str| {
            let (name, partition_indexes) = names();
            let topics = Some(vec![OffsetFetchRequestTopics { name, partition_indexes }]);
            OffsetFetchRequestGroup { group_id: (*group).into(), topics, ..Default::default() }
        };
        let groups = groups.iter().map(of).collect();
        let answer =
            client.ask(version, &OffsetFetchRequest { groups, require_stable: true, ..Default::default() }).await;
        let each = answer.groups.iter().map(|group| {
            assert_eq!(group.error_code, ErrorCode::None);
            let note = |it: &Option<divvy::wire::Text>| it.as_deref().unwrap_or_default().to_owned();
            let partitions = group.topics[0].partitions.iter();
            partitions.map(|it| (it.committed_offset, it.committed_leader_epoch, note(&it.metadata))).collect()
        });
        return each.collect();
    }
    let mut all = Fetched::new();
    for group in groups {
        let (name, partition_indexes) = names();
        let topics = Some(vec![OffsetFetchRequestTopic { name, partition_indexes }]);
        let request = OffsetFetchRequest {
            group_id: (*group).into(),
            topics,
            require_stable: version >= 7,
            ..Default::default()
        };
        let answer = client.ask(version, &request).await;
        assert_eq!(answer.error_code, ErrorCode::None);
        let note = |it: &Option<divvy::wire::Text>| it.as_deref().unwrap_or_default().to_owned();
        let partitions = answer.topics[0].partitions.iter();
        all.push(partitions.map(|it| (it.committed_offset, it.committed_leader_epoch, note(&it.metadata))).collect());
    }
    all
}

/// S59, S65: whatever is committed at one version is fetched at any other; what was never committed is -1, of a group
/// that does not exist, too, and everything of such a group is nothing.
#[tokio::test]
async fn s65_what_is_committed_at_one_version_is_fetched_at_any() {
    let server = serve(with_topic()).await;
    let mut client = Client::connect(server.addr()).await;
    for commit_version in 2..=9 {
        let mut request = commit("g", &[(0, i64::from(commit_version))]);
        let partition = &mut request.topics[0].partitions[0];
        partition.committed_metadata = Some("a note".into());
        partition.committed_leader_epoch = if commit_version >= 6 { 5 } else { -1 };
        let epoch = partition.committed_leader_epoch;
        assert_eq!(committed(&mut client, commit_version, &request).await, [ErrorCode::None]);
        let nothing = || (-1, -1, String::new());
        let found = vec![(i64::from(commit_version), epoch, "a note".to_owned()), nothing()];
        for version in 1..=9 {
            let mut expected = vec![found.clone(), vec![nothing(), nothing()]];
            if version < 5 {
                expected.iter_mut().flatten().for_each(|(_, epoch, _)| *epoch = -1);
            }
            assert_eq!(fetched(&mut client, version, &["g", "nobody"]).await, expected, "version {version}");
        }
    }
    for version in 2..=7 {
        for (group, topics) in [("g", 1), ("nobody", 0)] {
            let request = OffsetFetchRequest { group_id: group.into(), topics: None, ..Default::default() };
            let answer = client.ask(version, &request).await;
            assert_eq!((answer.error_code, answer.topics.len()), (ErrorCode::None, topics), "version {version}");
        }
    }
    server.stop().await;
}

/// S62: a generation of a group that does not exist. S63: a note that is too long, beside one that is not.
#[tokio::test]
async fn s62_s63_commits_that_are_refused() {
    let server = serve(with_topic()).await;
    let mut client = Client::connect(server.addr()).await;
    for version in 2..=9 {
        let request = OffsetCommitRequest {
            generation_id_or_member_epoch: 3,
            member_id: "ghost".into(),
            ..commit("nobody", &[(0, 1)])
        };
        let expected = if version < 9 { ErrorCode::IllegalGeneration } else { ErrorCode::GroupIdNotFound };
        assert_eq!(committed(&mut client, version, &request).await, [expected], "version {version}");
        let mut request = commit("g", &[(0, 1), (1, 1), (99, 1)]);
        request.topics[0].partitions[0].committed_metadata = Some("n".repeat(4097).as_str().into());
        request.topics[0].partitions[1].committed_metadata = Some("ü".repeat(4096).as_str().into());
        let expected = [ErrorCode::OffsetMetadataTooLarge, ErrorCode::None, ErrorCode::UnknownTopicOrPartition];
        assert_eq!(committed(&mut client, version, &request).await, expected, "version {version}");
    }
    assert_eq!(client.state_of("nobody").await, "Dead");
    server.stop().await;
}

/// S67: each group answers for itself, once, in order; a group that was deleted begins anew with generation 1.
#[tokio::test]
async fn s67_groups_are_deleted_at_every_version() {
    let server = serve(with_topic()).await;
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("busy", b"all").await;
    for version in 0..=2 {
        for group in ["", "idle"] {
            assert_eq!(committed(&mut client, 7, &commit(group, &[(0, 1)])).await, [ErrorCode::None]);
        }
        let names = ["idle", "busy", "nobody", "idle", ""];
        let request = DeleteGroupsRequest { groups_names: names.map(Into::into).into(), ..Default::default() };
        let answer = client.ask(version, &request).await;
        let results: Vec<_> = answer.results.iter().map(|it| (it.group_id.as_str(), it.error_code)).collect();
        let expected = [
            ("idle", ErrorCode::None),
            ("busy", ErrorCode::NonEmptyGroup),
            ("nobody", ErrorCode::GroupIdNotFound),
            ("", ErrorCode::None),
        ];
        assert_eq!(results, expected, "version {version}");
        assert_eq!(client.state_of("idle").await, "Dead");
        assert_eq!(client.ask(version, &DeleteGroupsRequest::default()).await.results, []);
    }
    let leave =
        LeaveGroupRequest { group_id: "busy".into(), member_id: member.id.as_str().into(), ..Default::default() };
    assert_eq!(client.ask(1, &leave).await.error_code, ErrorCode::None);
    let request = DeleteGroupsRequest { groups_names: vec!["busy".into()], ..Default::default() };
    assert_eq!(client.ask(2, &request).await.results[0].error_code, ErrorCode::None);
    assert_eq!(client.become_leader("busy", b"all").await.generation, 1);
    server.stop().await;
}

fn offset_delete(group: &str, partitions: &[i32]) -> OffsetDeleteRequest {
    let partition = |partition_index: &i32| OffsetDeleteRequestPartition { partition_index: *partition_index };
    let partitions = partitions.iter().map(partition).collect();
    OffsetDeleteRequest {
        group_id: group.into(),
        topics: vec![OffsetDeleteRequestTopic { name: "clicks".into(), partitions }],
        ..Default::default()
    }
}

/// S68: group errors stand at the top, the others with their partitions.
#[tokio::test]
async fn s68_offsets_are_deleted() {
    let server = serve(with_topic()).await;
    let mut client = Client::connect(server.addr()).await;
    for (group, error) in [("", ErrorCode::InvalidGroupId), ("nobody", ErrorCode::GroupIdNotFound)] {
        let answer = client.ask(0, &offset_delete(group, &[0, 99])).await;
        assert_eq!((answer.error_code, answer.topics.len()), (error, 0));
    }
    committed(&mut client, 7, &commit("g", &[(0, 5), (1, 6)])).await;
    let answer = client.ask(0, &offset_delete("g", &[99, 0, 2])).await;
    let errors: Vec<_> = answer.topics[0].partitions.iter().map(|it| (it.partition_index, it.error_code)).collect();
    let unknown = ErrorCode::UnknownTopicOrPartition;
    assert_eq!(errors, [(99, unknown), (0, ErrorCode::None), (2, ErrorCode::None)]);
    let left: Vec<i64> = fetched(&mut client, 5, &["g"]).await[0].iter().map(|(offset, ..)| *offset).collect();
    assert_eq!(left, [-1, 6]);
    // Members of type `test` keep everything: nobody can tell what they want.
    client.become_leader("g", b"all").await;
    assert_eq!(client.ask(0, &offset_delete("g", &[1])).await.error_code, ErrorCode::NonEmptyGroup);
    // A topic that is deleted takes its offsets along.
    server.handle().topics_removed(&["clicks".into()]);
    assert_eq!(fetched(&mut client, 5, &["g"]).await[0][1].0, -1);
    server.stop().await;
}

async fn until_no_groups(client: &mut Client) {
    within(async {
        while !client.ask(4, &ListGroupsRequest::default()).await.groups.is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// S69: groups go when their time is over; a client of v2 to v4 says how long it is.
#[tokio::test]
async fn s69_offsets_and_groups_expire() {
    let mut told = with_topic();
    told.limits.offsets_check_interval = Duration::from_millis(1);
    let server = serve(told).await;
    let mut client = Client::connect(server.addr()).await;
    for version in 2..=4 {
        let request = OffsetCommitRequest { retention_time_ms: 0, ..commit("g", &[(0, 1)]) };
        assert_eq!(committed(&mut client, version, &request).await, [ErrorCode::None]);
        until_no_groups(&mut client).await;
        assert_eq!(fetched(&mut client, 5, &["g"]).await[0][0].0, -1);
    }
    let request = OffsetCommitRequest { retention_time_ms: -1, ..commit("g", &[(0, 1)]) };
    assert_eq!(committed(&mut client, 2, &request).await, [ErrorCode::None]);
    assert_eq!(client.ask(4, &ListGroupsRequest::default()).await.groups.len(), 1, "seven days are not over");
    let text = server.handle().metrics_text().await;
    assert_eq!(metric(&text, "divvy_offsets_expired_total"), 3);
    assert_eq!(metric(&text, "divvy_groups_deleted_total"), 3);
    assert_eq!(metric(&text, "divvy_groups{state=\"Empty\"}"), 1, "the gauge of groups");
    server.stop().await;
}

/// S76: states in any case and with blanks around them, types in any case; what nobody knows matches nothing.
#[tokio::test]
async fn s76_groups_are_listed_by_state_and_type() {
    let server = serve(with_topic()).await;
    let mut client = Client::connect(server.addr()).await;
    client.become_leader("busy", b"all").await;
    committed(&mut client, 7, &commit("idle", &[(0, 1)])).await;
    let all = ["busy", "idle"].as_slice();
    for (states, types, found) in [
        (&[][..], &[][..], all),
        (&["sTaBLE"], &[], &["busy"]),
        (&[" empty "], &[], &["idle"]),
        (&["Empty", "STABLE"], &["Classic"], all),
        (&["Dead"], &[], &[]),
        (&["bogus"], &[], &[]),
        (&[], &["CLASSIC"], all),
        (&[], &[" classic "], &[]),
        (&[], &["consumer"], &[]),
        (&["stable"], &["bogus", "classic"], &["busy"]),
    ] {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).into()).collect();
        let request =
            ListGroupsRequest { states_filter: texts(states), types_filter: texts(types), ..Default::default() };
        let answer = client.ask(5, &request).await;
        let names: Vec<&str> = answer.groups.iter().map(|group| group.group_id.as_str()).collect();
        assert_eq!(names, found, "{states:?} {types:?}");
    }
    for version in 0..=5 {
        let answer = client.ask(version, &ListGroupsRequest::default()).await;
        let listed: Vec<_> = answer.groups.iter().map(|it| (it.group_id.as_str(), it.protocol_type.as_str())).collect();
        assert_eq!(listed, [("busy", "test"), ("idle", "")], "version {version}");
        assert_eq!(answer.groups[0].group_state.as_str(), if version >= 4 { "Stable" } else { "" });
        assert_eq!(answer.groups[0].group_type.as_str(), if version >= 5 { "classic" } else { "" });
    }
    server.stop().await;
}

fn consumer(member: &str) -> JoinGroupRequest {
    let metadata = Subscription { version: 0, topics: vec!["clicks"], tail: Default::default() }.encode().into();
    JoinGroupRequest {
        protocol_type: "consumer".into(),
        protocols: vec![JoinGroupRequestProtocol { name: "range".into(), metadata }],
        ..join("g", member)
    }
}

fn assignment(partition: i32) -> Bytes {
    let owned = TopicPartitions { topic: "clicks", partitions: [partition].into_iter().collect() };
    Assignment { topics: vec![owned], user_data: None }.encode().into()
}

/// Two consumers: the first has partition 0, the second partition 1.
async fn two_consumers(server: &Server) -> ((Client, Member), (Client, Member)) {
    let (mut first, mut second) = (Client::connect(server.addr()).await, Client::connect(server.addr()).await);
    let alone = Member::of("g", &first.ask(3, &consumer("")).await);
    second.send(3, &consumer("")).await;
    first.until_state("g", "PreparingRebalance").await;
    let leads = Member::of("g", &first.ask(3, &consumer(&alone.id)).await);
    let (_, follows) = second.receive(3).await;
    let follows = Member::of("g", &follows);
    let of = |member: &Member, partition| SyncGroupRequestAssignment {
        member_id: member.id.as_str().into(),
        assignment: assignment(partition),
    };
    let plan = SyncGroupRequest { assignments: vec![of(&leads, 0), of(&follows, 1)], ..leads.sync(&[]) };
    assert_eq!(first.ask(3, &plan).await.error_code, ErrorCode::None);
    let synced: SyncGroupResponse = second.ask(3, &follows.sync(&[])).await;
    assert_eq!(synced.assignment, assignment(1));
    ((first, leads), (second, follows))
}

/// B40 (3): a member commits a partition that is another one's. By default that is stored and counted; an operator may
/// have that partition refused.
#[tokio::test]
async fn b40_a_commit_for_another_members_partition_is_flagged_or_refused() {
    for (check, error, action) in [
        (CommitCheck::Warn, ErrorCode::None, "stored"),
        (CommitCheck::Enforce, ErrorCode::TopicAuthorizationFailed, "refused"),
    ] {
        let settings = GroupSettings { commit_check: check, ..GroupSettings::default() };
        let server = serve(Config { groups: vec![("*".to_owned(), settings)], ..with_topic() }).await;
        let ((mut first, leads), (mut second, follows)) = two_consumers(&server).await;
        let by = |member: &Member, offsets: &[(i32, i64)]| OffsetCommitRequest {
            generation_id_or_member_epoch: member.generation,
            member_id: member.id.as_str().into(),
            ..commit("g", offsets)
        };
        assert_eq!(committed(&mut first, 7, &by(&leads, &[(0, 5)])).await, [ErrorCode::None]);
        assert_eq!(committed(&mut second, 7, &by(&follows, &[(0, 9), (1, 6)])).await, [error, ErrorCode::None]);
        let kept: Vec<i64> = fetched(&mut first, 5, &["g"]).await[0].iter().map(|(offset, ..)| *offset).collect();
        assert_eq!(kept, [if check == CommitCheck::Warn { 9 } else { 5 }, 6]);
        let line = format!("divvy_commits_not_owned_total{{action=\"{action}\"}}");
        assert_eq!(metric(&server.handle().metrics_text().await, &line), 1);
        server.stop().await;
    }
}

/// A member may own most of a large topic: what it commits and asks for at once is longer than other requests.
#[tokio::test]
async fn a_large_topic_is_committed_and_fetched_at_once() {
    const PARTITIONS: i32 = 60_000;
    let large = Topic { partitions: PARTITIONS as u32, racks: Vec::new() };
    let server = serve(Config { topics: vec![("clicks".into(), large)], ..config() }).await;
    let mut client = Client::connect(server.addr()).await;
    let mut request = commit("g", &(0..PARTITIONS).map(|partition| (partition, 7)).collect::<Vec<_>>());
    for partition in &mut request.topics[0].partitions {
        partition.committed_metadata = Some("a note of about thirty letters".into());
    }
    let codes = committed(&mut client, 7, &request).await;
    assert_eq!((codes.len(), codes.iter().all(|code| !code.is_error())), (PARTITIONS as usize, true));
    let partition_indexes: Vec<i32> = (0..300_000).collect();
    let topics = Some(vec![OffsetFetchRequestTopic { name: "clicks".into(), partition_indexes }]);
    let told = client.ask(5, &OffsetFetchRequest { group_id: "g".into(), topics, ..Default::default() }).await;
    let have = told.topics[0].partitions.iter().filter(|it| it.committed_offset == 7).count();
    assert_eq!((told.topics[0].partitions.len(), have), (300_000, PARTITIONS as usize));
    server.stop().await;
}
