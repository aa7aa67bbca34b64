//! Bugs that other coordinators' pages had, tried with what divvy shows: JSON, the command line, DescribeGroups, metrics.
//! The names are those of the collection of reports.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::process::Command;

use bytes::Bytes;
use divvy::group::{GroupSettings, Lead};
use divvy::server::config::Config;
use divvy::wire::ErrorCode;
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::sync_group::SyncGroupRequestAssignment;
use divvy::wire::messages::{
    DeleteGroupsRequest, DescribeGroupsRequest, JoinGroupRequest, JoinGroupResponse, ListGroupsRequest,
    OffsetCommitRequest, SyncGroupRequest, SyncGroupResponse,
};
use serde_json::{Value, json};

use crate::member_ground::{Folder, Worker, builder, built, partitions, together};
use crate::server_admin::{get, get_json};
use crate::server_led::led_config;
use crate::support::{Client, Member, config, join, metric, run, serve, within};

/// The command line's JSON, from the admin port, and its text, from Kafka's.
async fn shown(server: &divvy::server::Server, group: &str) -> (Value, String) {
    let (kafka, admin) = (server.addr().to_string(), server.admin_addr().unwrap().to_string());
    let describe = async |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
        command.args(["groups", "describe", group, "--server", &kafka]).args(more);
        let output = run(command).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let json = describe(&["--admin", &admin, "--json"]).await;
    (serde_json::from_str(&json).unwrap(), describe(&[]).await)
}

/// An encoded assignment of the type `consumer`, version 0.
fn assignment(topic: &str, partitions: &[i32]) -> Bytes {
    let mut bytes = vec![0, 0, 0, 0, 0, 1];
    bytes.extend(u16::try_from(topic.len()).unwrap().to_be_bytes());
    bytes.extend(topic.as_bytes());
    bytes.extend(u32::try_from(partitions.len()).unwrap().to_be_bytes());
    partitions.iter().for_each(|partition| bytes.extend(partition.to_be_bytes()));
    bytes.extend([0xff; 4]);
    bytes.into()
}

fn of_type(group: &str, member: &str, protocol_type: &str) -> JoinGroupRequest {
    let metadata = b"\x00\x00\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff";
    let protocol = JoinGroupRequestProtocol { name: "own".into(), metadata: Bytes::from_static(metadata) };
    JoinGroupRequest { protocol_type: protocol_type.into(), protocols: vec![protocol], ..join(group, member) }
}

fn plan(member: &Member, states: &[(&str, Bytes)]) -> SyncGroupRequest {
    let one =
        |(id, state): &(&str, Bytes)| SyncGroupRequestAssignment { member_id: (*id).into(), assignment: state.clone() };
    SyncGroupRequest { assignments: states.iter().map(one).collect(), ..member.sync(&[]) }
}

/// B24: a group whose members' bytes nobody can read is listed and described everywhere; what cannot be read is shown as
/// it is, and a known type says that it could not.
#[tokio::test]
async fn b24_states_that_cannot_be_read_are_shown_as_bytes() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let odd = Bytes::from_static(b"\xde\xad\xbe\xef");
    for (protocol_type, note) in [("x", None), ("consumer", Some("not decodable")), ("connect", Some("not decodable"))]
    {
        let joined = client.ask(0, &of_type(protocol_type, "", protocol_type)).await;
        let member = Member::of(protocol_type, &joined);
        let synced = client.ask(0, &plan(&member, &[(&member.id, odd.clone())])).await;
        assert_eq!((synced.error_code, synced.assignment), (ErrorCode::None, odd.clone()));

        let request = DescribeGroupsRequest { groups: vec![protocol_type.into()], ..Default::default() };
        let told = client.ask(5, &request).await;
        assert_eq!(told.groups[0].members[0].member_assignment, odd, "the wire has the bytes themselves");
        let mut state = json!({ "hex": "deadbeef", "bytes": 4 });
        if let Some(note) = note {
            state["note"] = json!(note);
        }
        let admin = server.admin_addr().unwrap();
        assert_eq!(get_json(admin, &format!("/groups/{protocol_type}")).await["members"][0]["state"], state);
        let (json, text) = shown(&server, protocol_type).await;
        assert_eq!(json["members"][0]["state"], state);
        assert!(text.contains("deadbeef") && note.is_none_or(|note| text.contains(note)), "{text}");
    }
    let listed = get_json(server.admin_addr().unwrap(), "/groups").await;
    assert_eq!(listed["groups"].as_array().unwrap().len(), 3);
    assert_eq!(client.ask(4, &ListGroupsRequest::default()).await.groups.len(), 3);
    server.stop().await;
}

/// Who owns what, by partition, as the JSON of a group says.
fn owners(group: &Value) -> BTreeMap<i64, Vec<String>> {
    let mut owners: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for member in group["members"].as_array().unwrap() {
        for partition in member["state"]["t"].as_array().into_iter().flatten() {
            owners.entry(partition.as_i64().unwrap()).or_default().push(member["id"].to_string());
        }
    }
    owners
}

/// Both join again, or the second for the first time; the leader, or who is new, begins.
async fn rebalance(
    admin: SocketAddr,
    (leader, leader_id): (&mut Client, &str),
    (other, other_id): (&mut Client, &str),
    newcomer: bool,
) -> (JoinGroupResponse, JoinGroupResponse) {
    let (begins, id, follows, next_id) = if newcomer {
        (&mut *other, other_id, &mut *leader, leader_id)
    } else {
        (&mut *leader, leader_id, &mut *other, other_id)
    };
    begins.send(5, &of_type("g", id, "consumer")).await;
    within(async { while get_json(admin, "/groups/g").await["state"] != "Joining" {} }).await;
    follows.send(5, &of_type("g", next_id, "consumer")).await;
    (leader.receive(5).await.1, other.receive(5).await.1)
}

/// B46: whoever polls a group through rebalances sees each partition at one owner, and one and the same in one
/// generation. Two owners, which only a leader's mistake can bring, are an alarm.
#[tokio::test]
async fn b46_a_partition_has_one_owner_in_a_generation() {
    let server = serve(config()).await;
    let admin = server.admin_addr().unwrap();
    let (mut first, mut second) = (Client::connect(server.addr()).await, Client::connect(server.addr()).await);
    let handed_out = first.ask(5, &of_type("g", "", "consumer")).await.member_id;
    let led = first.ask(5, &of_type("g", &handed_out, "consumer")).await;
    let mut leader = Member::of("g", &led);
    first.ask(3, &plan(&leader, &[(&leader.id, assignment("t", &[0, 1, 2, 3]))])).await;

    let mut seen: BTreeMap<i64, BTreeMap<i64, Vec<String>>> = BTreeMap::new();
    let mut look = |group: &Value| {
        assert_eq!(group["alarms"], json!([]), "{group}");
        let now = owners(group);
        assert!(now.values().all(|owners| owners.len() == 1), "{group}");
        if group["state"] == "Stable" {
            let before = seen.entry(group["generation"].as_i64().unwrap()).or_insert_with(|| now.clone());
            assert_eq!(*before, now, "{group}");
        }
    };
    let id = second.ask(5, &of_type("g", "", "consumer")).await.member_id;
    for round in 0..20 {
        let newcomer = round == 0;
        let (led, joined) = rebalance(admin, (&mut first, &leader.id), (&mut second, &id), newcomer).await;
        leader = Member::of("g", &led);
        assert_eq!((joined.error_code, joined.generation_id), (ErrorCode::None, leader.generation));
        look(&get_json(admin, "/groups/g").await);
        let follower = Member::of("g", &joined);
        let (mine, yours) = if round % 2 == 0 { ([0, 1], [2, 3]) } else { ([2, 3], [0, 1]) };
        second.send(3, &follower.sync(&[])).await;
        look(&get_json(admin, "/groups/g").await);
        let states = [(leader.id.as_str(), assignment("t", &mine)), (id.as_str(), assignment("t", &yours))];
        first.ask(3, &plan(&leader, &states)).await;
        second.receive::<SyncGroupResponse>(3).await;
        look(&get_json(admin, "/groups/g").await);
    }
    assert!(seen.len() >= 20, "each generation was looked at");

    let (led, _) = rebalance(admin, (&mut first, &leader.id), (&mut second, &id), false).await;
    leader = Member::of("g", &led);
    let both = [(leader.id.as_str(), assignment("t", &[0, 1])), (id.as_str(), assignment("t", &[1]))];
    first.ask(3, &plan(&leader, &both)).await;
    let mut names = [leader.id.as_str(), id.as_str()];
    names.sort_unstable();
    let alarm = format!("t-1 has 2 owners in generation {}: {}", leader.generation, names.join(", "));
    assert_eq!(get_json(admin, "/groups/g").await["alarms"], json!([alarm]));
    let (json, text) = shown(&server, "g").await;
    assert_eq!(json["alarms"], json!([alarm]));
    assert!(text.contains("ALARM: t-1 has 2 owners"), "{text}");
    server.stop().await;
}

/// A strategy of several copies gives each partition to several members, and that is no alarm: whoever leads, and whichever
/// port is asked.
#[tokio::test]
async fn copies_of_a_plan_are_no_alarm() {
    let folder = Folder::with(&[("redundant", built("redundant"))]);
    for lead in [Lead::Coordinator, Lead::Members] {
        let settings = GroupSettings { lead, assignors: vec!["redundant".to_owned()], ..GroupSettings::default() };
        let groups = vec![("*".to_owned(), settings)];
        let server = serve(Config { groups, ..led_config(&folder) }).await;
        let member = || builder(server.addr(), "g").subscribe(["clicks"]).assignors(folder.path());
        let (mut a, mut b) = (Worker::join(member()).await, Worker::join(member()).await);
        together(&mut [&mut a, &mut b], |work| partitions(work).len() == 4).await;
        let group = get_json(server.admin_addr().unwrap(), "/groups/g").await;
        assert_eq!((&group["protocol"], &group["copies"]), (&json!("redundant@1"), &json!(2)), "{group}");
        assert_eq!(group["alarms"], json!([]), "{lead:?}: {group}");
        let (json, text) = shown(&server, "g").await;
        assert_eq!(json["alarms"], json!([]), "{lead:?}");
        assert!(text.matches("clicks 0-3").count() == 2 && !text.contains("ALARM"), "{lead:?}: {text}");
        server.stop().await;
    }
}

/// The series of the metrics: lines without their values.
async fn series(admin: SocketAddr) -> (BTreeSet<String>, String) {
    let (_, text) = get(admin, "/metrics").await;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    (lines.filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned())).collect(), text)
}

/// B72: thousands of groups that come and go leave no series behind; nothing of a group ever becomes a label.
#[tokio::test]
async fn b72_deleted_groups_leave_no_metrics() {
    const GROUPS: usize = 5_000;
    let server = serve(config()).await;
    let admin = server.admin_addr().unwrap();
    let mut client = Client::connect(server.addr()).await;
    // The topic, and every kind of request, once.
    let mut come_and_go = async |names: Vec<String>| {
        for chunk in names.chunks(500) {
            for name in chunk {
                let partition =
                    OffsetCommitRequestPartition { partition_index: 0, committed_offset: 1, ..Default::default() };
                let topics = vec![OffsetCommitRequestTopic { name: "t".into(), partitions: vec![partition] }];
                client
                    .send(7, &OffsetCommitRequest { group_id: name.as_str().into(), topics, ..Default::default() })
                    .await;
            }
            for _ in chunk {
                client.frame().await.unwrap();
            }
        }
        let there = get(admin, "/metrics").await.1;
        for chunk in names.chunks(500) {
            let groups_names = chunk.iter().map(|name| name.as_str().into()).collect();
            let deleted = client.ask(2, &DeleteGroupsRequest { groups_names, ..Default::default() }).await;
            assert!(deleted.results.iter().all(|it| it.error_code == ErrorCode::None));
        }
        there
    };
    let topic = divvy::wire::messages::metadata::MetadataRequestTopic { name: Some("t".into()), ..Default::default() };
    let named = divvy::wire::messages::MetadataRequest { topics: Some(vec![topic]), ..Default::default() };
    Client::connect(server.addr()).await.ask(4, &named).await;
    come_and_go(vec!["first".to_owned()]).await;
    let (before, _) = series(admin).await;
    let there = come_and_go((0..GROUPS).map(|number| format!("passing-{number}")).collect()).await;
    assert_eq!(metric(&there, "divvy_groups{state=\"Empty\"}"), GROUPS as u64);
    assert!(!there.contains("passing-"));
    let (after, text) = series(admin).await;
    assert_eq!(after, before);
    assert_eq!(metric(&text, "divvy_groups{state=\"Empty\"}"), 0);
    assert_eq!(get_json(admin, "/groups").await["groups"], json!([]));
    server.stop().await;
}
