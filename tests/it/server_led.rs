//! Groups that the coordinator leads, with real modules: unmodified clients are assigned by them, and whatever changes,
//! breaks or dies, the group has work.

use std::path::Path;
use std::sync::LazyLock;

use divvy::group::{Alias, GroupSettings, Lead};
use divvy::ids::{Digest, GroupId, TopicName};
use divvy::sandbox::{Sandbox, SandboxLimits, digest_of};
use divvy::server::Server;
use divvy::server::config::Config;
use divvy::topics::Topic;
use divvy::wire::ErrorCode;

use crate::cli_ground::Running;
use crate::led_ground::{Consumer, Share, subscribe};
use crate::member_ground::{Folder, Worker, builder, built, doomed, doomed_as, endless, even, partitions};
use crate::support::{Client, DEADLINE, Member, config, create, own_address, serve, state, within};

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(SandboxLimits::default()).unwrap());

/// Every group is led by the coordinator; what offers `range` is served by `even`.
fn led() -> GroupSettings {
    let alias = Alias { protocol: "range".to_owned(), assignor: "even".to_owned(), mode: None };
    GroupSettings { lead: Lead::Coordinator, aliases: vec![alias], ..GroupSettings::default() }
}

pub fn led_config(folder: &Folder) -> Config {
    Config {
        assignors: Some(folder.path().to_owned()),
        groups: vec![("*".to_owned(), led())],
        topics: vec![topic("clicks", 4)],
        ..config()
    }
}

fn topic(name: &str, partitions: u32) -> (TopicName, Topic) {
    (name.into(), Topic { partitions, racks: Vec::new() })
}

pub async fn start(config: Config) -> Server {
    let server = Server::builder(config).sandbox(SANDBOX.clone()).start().await.unwrap();
    within(async {
        while !server.handle().is_loaded().await {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server
}

pub fn has(count: usize) -> impl FnMut(&Share) -> bool {
    move |share| share.partitions.len() == count
}

/// What served the group's present generation.
async fn served_by(server: &Server, group: &str) -> Option<Digest> {
    server.handle().describe(&GroupId::from(group)).await.unwrap().unwrap().plan_digest
}

pub const KAFKAS: &[&str] = &["range", "roundrobin"];

#[tokio::test]
async fn unmodified_clients_are_assigned_by_the_coordinators_module() {
    let folder = Folder::with(&[("even", even(1))]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "g", KAFKAS, &["clicks"]);
    let alone = a.share(has(4)).await;
    assert_eq!((alone.leader.as_str(), alone.protocol.as_str()), ("divvy", "range"));
    let mut b = Consumer::join(server.addr(), "g", &["range"], &["clicks"]);
    let (one, two) = (a.share(has(2)).await, b.share(has(2)).await);
    assert_eq!(one.partitions.union(&two.partitions).count(), 4, "{one:?} {two:?}");
    let group = server.handle().describe(&"g".into()).await.unwrap().unwrap();
    assert_eq!(group.leader, Some("divvy".into()));
    let led = group.led.unwrap();
    assert_eq!((led.assignor, led.digest), (Some("even@1".into()), group.plan_digest));
    assert!(group.plan_digest.is_some());
    // A member of divvy's own is a follower like the others, and its modules do not count.
    let own = Folder::with(&[("even", even(2))]);
    let member = builder(server.addr(), "g").subscribe(["clicks"]).assignors(own.path());
    let mut worker = Worker::join(member).await;
    let work = worker.assigned().await;
    assert_eq!((work.protocol.as_str(), work.leader.as_str()), ("range", "divvy"));
    let (one, two) = (a.share(has(1)).await, b.share(has(1)).await);
    assert_eq!(one.partitions.len() + two.partitions.len() + partitions(&work).len(), 4, "{one:?} {two:?} {work:?}");
    server.stop().await;
}

#[tokio::test]
async fn topics_that_concern_the_group_cost_one_rebalance_and_others_none() {
    let folder = Folder::with(&[("even", even(1))]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "g", KAFKAS, &["clicks", "queries"]);
    let before = a.share(has(4)).await.generation;
    create(&server, "nobodys", 2).await;
    create(&server, "queries", 2).await;
    assert_eq!(a.share(has(6)).await.generation, before + 1, "both within a second: one look, one rebalance");
    // The operator's file: a topic that nobody reads, and two partitions more of one that is read.
    let topics = vec![topic("clicks", 6), topic("nobodys-too", 3)];
    let later = server.handle().reconfigure(Config { topics, ..led_config(&folder) }).await.unwrap();
    assert_eq!(later, [""; 0]);
    assert_eq!(a.share(has(8)).await.generation, before + 2);
    server.stop().await;
}

/// A static member's JoinGroup until it is in; gives back what it was told.
async fn come_as(client: &mut Client, instance: &str, topics: &[&str]) -> divvy::wire::messages::JoinGroupResponse {
    let request = divvy::wire::messages::JoinGroupRequest {
        group_instance_id: Some(instance.into()),
        ..subscribe("g", "", KAFKAS, topics)
    };
    client.ask(5, &request).await
}

#[tokio::test]
async fn a_static_member_that_comes_back_with_another_subscription_gets_another_share() {
    let folder = Folder::with(&[("even", even(1))]);
    let server = start(Config { topics: vec![topic("clicks", 4), topic("queries", 2)], ..led_config(&folder) }).await;
    let mut client = Client::connect(server.addr()).await;
    let joined = come_as(&mut client, "one", &["clicks"]).await;
    let synced = client.ask(3, &Member::of("g", &joined).sync(&[])).await;
    let first = state(&synced).unwrap();
    // A restart with the same subscription costs nothing, and one with another is one rebalance.
    let same = come_as(&mut client, "one", &["clicks"]).await;
    assert_eq!(same.generation_id, joined.generation_id);
    let again = client.ask(3, &Member::of("g", &same).sync(&[])).await;
    assert_eq!(state(&again).unwrap(), first);
    let other = come_as(&mut client, "one", &["clicks", "queries"]).await;
    assert_eq!(other.generation_id, joined.generation_id + 1, "it is told no plan for what it wanted before");
    let member = Member::of("g", &other);
    let group = server.handle().describe(&"g".into()).await.unwrap().unwrap();
    assert_eq!(group.last_trigger, Some(format!("{} joined again with other metadata", member.id)));
    let synced = client.ask(3, &member.sync(&[])).await;
    assert_ne!(state(&synced).unwrap(), first);
    server.stop().await;
}

#[tokio::test]
async fn a_module_that_is_replaced_serves_after_one_rebalance() {
    let folder = Folder::with(&[("even", even(1))]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "g", KAFKAS, &["clicks"]);
    let before = a.share(has(4)).await.generation;
    let old = served_by(&server, "g").await;
    folder.drop_in("even", &even(2));
    let after = a.share(|share| share.generation > before).await;
    assert_eq!((after.generation, after.partitions.len()), (before + 1, 4));
    let new = served_by(&server, "g").await;
    assert!(old.is_some() && new.is_some() && old != new, "{old:?} {new:?}");
    let status = server.handle().own_modules().unwrap();
    assert!(status.iter().any(|file| file.version == Some(2)), "{status:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_version_that_fails_serves_nobody_and_the_one_before_takes_over() {
    let folder = Folder::with(&[("even-1", even(1)), ("even-2", doomed(2))]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "doomed", KAFKAS, &["clicks"]);
    let after = a.share(|share| share.generation == 2 && share.partitions.len() == 4).await;
    assert_eq!(after.protocol, "range");
    let group = server.handle().describe(&"doomed".into()).await.unwrap().unwrap();
    assert_eq!(group.led.unwrap().assignor, Some("even@1".into()));
    assert!(group.suspensions[0].reason.starts_with("trap"), "{:?}", group.suspensions);
    server.stop().await;
}

/// Kafka's own names bear no version: two of a folder have one name, and the one that failed must not be asked again.
#[tokio::test]
async fn under_one_of_kafkas_names_the_version_before_takes_over_too() {
    let folder = Folder::with(&[("old", built("roundrobin")), ("new", doomed_as("roundrobin", 6))]);
    let alias = Alias { protocol: "range".to_owned(), assignor: "roundrobin".to_owned(), mode: None };
    let groups = vec![("*".to_owned(), GroupSettings { aliases: vec![alias], ..led() })];
    let server = start(Config { groups, ..led_config(&folder) }).await;
    let mut a = Consumer::join(server.addr(), "doomed", KAFKAS, &["clicks"]);
    a.share(|share| share.generation == 2 && share.partitions.len() == 4).await;
    assert_eq!(served_by(&server, "doomed").await, Some(digest_of(&built("roundrobin"))));
    let group = server.handle().describe(&"doomed".into()).await.unwrap().unwrap();
    assert_eq!((group.suspensions.len(), group.summary.generation.0), (1, 2), "{:?}", group.suspensions);
    server.stop().await;
}

#[tokio::test]
async fn a_module_that_does_not_end_keeps_no_other_group_waiting() {
    let folder = Folder::with(&[("even", endless(1))]);
    let server = start(led_config(&folder)).await;
    let mut doomed: Vec<Consumer> =
        (0..4).map(|_| Consumer::join(server.addr(), "doomed", KAFKAS, &["clicks"])).collect();
    let mut well = Consumer::join(server.addr(), "well", &["roundrobin"], &["clicks"]);
    well.share(has(4)).await;
    for consumer in &mut doomed {
        consumer.share(has(1)).await;
    }
    let group = server.handle().describe(&"doomed".into()).await.unwrap().unwrap();
    assert!(group.suspensions[0].reason.starts_with("deadline"), "{:?}", group.suspensions);
    server.stop().await;
}

#[tokio::test]
async fn states_of_an_applications_own_type_are_the_modules() {
    let folder = Folder::with(&[("active-standby", built("active-standby"))]);
    let server = start(Config {
        groups: vec![("*".to_owned(), GroupSettings { lead: Lead::Coordinator, ..GroupSettings::default() })],
        ..led_config(&folder)
    })
    .await;
    let member = || builder(server.addr(), "writers").single_writer().assignors(folder.path());
    let mut first = Worker::join(member()).await;
    let work = first.assigned().await;
    assert_eq!(work.leader, "divvy");
    assert!(matches!(work.duty(), Some(divvy::client::Duty::Active(_))), "{work:?}");
    server.stop().await;
}

#[tokio::test]
async fn settings_change_at_runtime_and_a_mistake_changes_nothing() {
    let folder = Folder::with(&[("even", even(1))]);
    let server = start(Config { groups: Vec::new(), assignors: None, ..led_config(&folder) }).await;
    let mut client = Client::connect(server.addr()).await;
    let led_by = |group: divvy::group::GroupDescription| group.leader.map(|it| it.to_string()).unwrap_or_default();

    // A member leads; nothing was opened.
    let handed_out = client.ask(5, &subscribe("g", "", KAFKAS, &["clicks"])).await;
    let joined = client.ask(5, &subscribe("g", &handed_out.member_id, KAFKAS, &["clicks"])).await;
    let member = Member::of("g", &joined);
    assert_eq!(client.ask(3, &member.sync(&[(&member.id, b"mine")])).await.error_code, ErrorCode::None);
    assert!(server.handle().own_modules().is_none());

    // A group that needs modules where there is no folder: refused whole, the topics too.
    let nowhere = Config { assignors: Some("/nowhere".into()), topics: vec![topic("new", 1)], ..led_config(&folder) };
    let refused = server.handle().reconfigure(nowhere).await.unwrap_err();
    assert!(refused.contains("/nowhere does not exist"), "{refused}");
    assert!(server.handle().topics_view().table().get("new").is_none());
    assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);

    server.handle().reconfigure(led_config(&folder)).await.unwrap();
    within(async { while client.ask(3, &member.heartbeat()).await.error_code != ErrorCode::RebalanceInProgress {} })
        .await;
    let joined = client.ask(5, &subscribe("g", &member.id, KAFKAS, &["clicks"])).await;
    assert_eq!(&*joined.leader, "divvy");
    let member = Member::of("g", &joined);
    assert_eq!(client.ask(3, &member.sync(&[])).await.error_code, ErrorCode::None);
    assert_eq!(led_by(server.handle().describe(&"g".into()).await.unwrap().unwrap()), "divvy");
    server.stop().await;
}

/// The program with a configuration file in a folder; where it listens it is followed by nobody.
fn program(folder: &Path, more: &str) -> Running {
    write_config(folder, more);
    let (file, data) = (folder.join("divvy.toml"), folder.join("data"));
    let place = ["--config", file.to_str().unwrap(), "--data", data.to_str().unwrap()];
    Running::start(&[&["serve"][..], &place, &["--listen", &own_address().to_string()]].concat())
}

pub fn write_config(folder: &Path, more: &str) {
    let keys = "listen = \"127.0.0.1:0\"\nadmin = \"off\"\n\"group.initial.rebalance.delay.ms\" = 0\n";
    let assignors = folder.join("assignors");
    let topics = "[[topic]]\nname = \"clicks\"\npartitions = 4\n";
    std::fs::write(
        folder.join("divvy.toml"),
        format!("{keys}assignors = {:?}\n{topics}{more}", assignors.to_str().unwrap()),
    )
    .unwrap();
}

pub const LED: &str =
    "[[group]]\nmatch = \"*\"\nlead = \"coordinator\"\nalias = [{ protocol = \"range\", assignor = \"even\" }]\n";

pub fn address(server: &mut Running) -> std::net::SocketAddr {
    server.event("serving")["kafka"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_coordinator_that_is_killed_while_it_plans_begins_anew() {
    let place = tempfile::tempdir().unwrap();
    let assignors = place.path().join("assignors");
    std::fs::create_dir(&assignors).unwrap();
    // A minute, in the group `doomed`: nothing but the kill ends it.
    std::fs::write(assignors.join("even.wasm"), crate::member_ground::endless_for(1, 10_000)).unwrap();
    let mut server = program(place.path(), LED);
    let mut client = Client::connect(address(&mut server)).await;
    let handed_out = client.ask(5, &subscribe("doomed", "", KAFKAS, &["clicks"])).await;
    let joined = client.ask(5, &subscribe("doomed", &handed_out.member_id, KAFKAS, &["clicks"])).await;
    assert_eq!((joined.error_code, &*joined.leader), (ErrorCode::None, "divvy"));
    client.send(3, &Member::of("doomed", &joined).sync(&[])).await;
    server.kill();

    std::fs::write(assignors.join("even.wasm"), even(1)).unwrap();
    let mut server = program(place.path(), LED);
    let addr = address(&mut server);
    let mut client = Client::connect(addr).await;
    // The generation that was never planned is unknown; the member asks, and gets its work.
    let lost = within(async {
        loop {
            let synced = client.ask(3, &Member::of("doomed", &joined).sync(&[])).await;
            if synced.error_code != ErrorCode::RebalanceInProgress {
                return synced;
            }
        }
    })
    .await;
    assert_eq!(state(&lost), Err(ErrorCode::UnknownMemberId));
    let mut consumer = Consumer::join(addr, "doomed", KAFKAS, &["clicks"]);
    let before = consumer.share(has(4)).await;
    assert!(before.generation > joined.generation_id);
    server.kill();

    // A stable generation goes on: no rebalance, and none after the look that each led group gets.
    let mut server = program(place.path(), LED);
    let addr = address(&mut server);
    let mut client = Client::connect(addr).await;
    let looked = std::time::Duration::from_millis(1_500);
    let _ = tokio::time::timeout(looked, async {
        loop {
            let id = consumer_id(&mut client, "doomed").await;
            let member = Member { group: "doomed".to_owned(), id, generation: before.generation };
            assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
        }
    })
    .await;
    server.kill();
}

/// The id of the group's one member.
async fn consumer_id(client: &mut Client, group: &str) -> String {
    let request = divvy::wire::messages::DescribeGroupsRequest { groups: vec![group.into()], ..Default::default() };
    within(async {
        loop {
            let described = client.ask(5, &request).await;
            if let Some(member) = described.groups[0].members.first() {
                return member.member_id.to_string();
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_signal_reads_the_settings_again() {
    let place = tempfile::tempdir().unwrap();
    let assignors = place.path().join("assignors");
    std::fs::create_dir(&assignors).unwrap();
    std::fs::write(assignors.join("even.wasm"), even(1)).unwrap();
    let mut server = program(place.path(), "");
    let mut client = Client::connect(address(&mut server)).await;
    let handed_out = client.ask(5, &subscribe("g", "", KAFKAS, &["clicks"])).await;
    let joined = client.ask(5, &subscribe("g", &handed_out.member_id, KAFKAS, &["clicks"])).await;
    let member = Member::of("g", &joined);
    assert_eq!(client.ask(3, &member.sync(&[(&member.id, b"mine")])).await.error_code, ErrorCode::None);
    // A mistake, then the settings: signals are taken one after the other.
    write_config(place.path(), "[[group]]\nmatch = \"*\"\nlead = \"nobody\"\n");
    server.hang_up();
    write_config(place.path(), LED);
    server.hang_up();
    let ends = tokio::time::Instant::now() + DEADLINE;
    while client.ask(3, &member.heartbeat()).await.error_code != ErrorCode::RebalanceInProgress {
        assert!(tokio::time::Instant::now() < ends, "the group is not told");
    }
    let joined = client.ask(5, &subscribe("g", &member.id, KAFKAS, &["clicks"])).await;
    assert_eq!(&*joined.leader, "divvy");
    assert_eq!(server.interrupt(), 0);
}

#[tokio::test]
async fn a_led_group_without_a_folder_of_modules_is_a_mistake_with_its_remedy() {
    let error = Server::start(Config {
        groups: vec![("*".to_owned(), led())],
        usual_assignors: vec!["/nowhere/assignors".into()],
        ..config()
    })
    .await
    .err()
    .unwrap()
    .to_string();
    assert!(error.contains("lead = \"coordinator\"") && error.contains("/nowhere/assignors"), "{error}");
    // Where no group needs one it is a note.
    serve(Config { assignors: Some("/nowhere".into()), ..config() }).await.stop().await;
}
