//! Kafka Connect's workers in a group that the coordinator leads: its module plans in Connect's own protocol, and nobody has to
//! be told of it. The workers here are no more than their bytes: what they run, and what they are told.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use divvy::group::{Alias, GroupSettings, Lead};
use divvy::ids::Mode;
use divvy::server::config::Config;
use divvy::wire::ErrorCode;
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::{JoinGroupRequest, LeaveGroupRequest};
use divvy_assignor_connect::wire::{Assignment, Metadata, Work};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::member_ground::{Folder, built, start as spawn};
use crate::server_led::start;
use crate::support::{Client, Member, config, within};

const GROUP: &str = "connect-jdbc";

/// What Connect's workers offer, the newest first, with the versions of their bytes.
const OFFERS: [(&str, i16); 3] = [("sessioned", 2), ("compatible", 1), ("default", 0)];

/// Three connectors of three tasks, and a second to come back in.
fn settings() -> GroupSettings {
    let mode = |version| if version == 0 { Mode::Eager } else { Mode::Cooperative };
    let alias = |(name, version): (&str, i16)| Alias {
        protocol: name.to_owned(),
        assignor: "connect@1".to_owned(),
        mode: Some(mode(version)),
    };
    let settings = json!({ "connectors": { "a": 3, "b": 3, "c": 3 }, "max_delay_ms": 1000 });
    GroupSettings {
        lead: Lead::Coordinator,
        assignors: OFFERS.map(|(name, _)| name.to_owned()).into(),
        aliases: OFFERS.map(alias).into(),
        config: [("connect".to_owned(), settings)].into(),
        ..GroupSettings::default()
    }
}

/// After a round: what the worker runs, and what it was told.
#[derive(Clone, Debug, Default)]
struct Told {
    protocol: String,
    leader: String,
    delay_ms: i32,
    runs: BTreeSet<(String, i32)>,
}

struct Worker {
    told: mpsc::UnboundedReceiver<Told>,
    end: oneshot::Sender<()>,
}

impl Worker {
    fn join(addr: SocketAddr) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        spawn(live(addr, tell, ended));
        Self { told, end }
    }

    /// The first round in which all is as wanted.
    async fn until(&mut self, mut wanted: impl FnMut(&Told) -> bool) -> Told {
        within(async {
            loop {
                let told = self.told.recv().await.expect("the worker lives");
                if wanted(&told) {
                    return told;
                }
            }
        })
        .await
    }
}

async fn live(addr: SocketAddr, tell: mpsc::UnboundedSender<Told>, mut ended: oneshot::Receiver<()>) {
    let mut client = Client::connect(addr).await;
    let mut id = String::new();
    let mut runs = BTreeSet::new();
    loop {
        let joined = client.ask(5, &offer(&id, &runs)).await;
        id = joined.member_id.to_string();
        match joined.error_code {
            ErrorCode::None => {}
            ErrorCode::MemberIdRequired | ErrorCode::RebalanceInProgress => continue,
            other => panic!("JoinGroup: {other:?}"),
        }
        let member = Member::of(GROUP, &joined);
        let synced = client.ask(3, &member.sync(&[])).await;
        if synced.error_code == ErrorCode::RebalanceInProgress {
            continue;
        }
        assert_eq!(synced.error_code, ErrorCode::None);
        let told = Assignment::read(&synced.assignment).expect("Connect's own bytes");
        assert_eq!((told.error, told.version), (0, 2));
        for (work, is_new) in [(&told.revoked, false), (&told.work, true)] {
            for piece in work.iter().flat_map(|(name, tasks)| tasks.iter().map(|task| ((*name).to_owned(), *task))) {
                assert!(if is_new { runs.insert(piece) } else { runs.remove(&piece) }, "{told:?}");
            }
        }
        let protocol = joined.protocol_name.as_ref().map(|it| it.to_string()).unwrap_or_default();
        let leader = told.leader.to_owned();
        let _ = tell.send(Told { protocol, leader, delay_ms: told.delay_ms, runs: runs.clone() });
        // Who gave something up joins again at once, as Connect's workers do; the delay is the coordinator's to watch.
        let mut beat = tokio::time::interval(Duration::from_millis(20));
        while told.revoked.is_empty() {
            tokio::select! {
                _ = beat.tick() => {}
                _ = &mut ended => {
                    let leave = LeaveGroupRequest { group_id: GROUP.into(), member_id: id.as_str().into(), ..Default::default() };
                    client.ask(1, &leave).await;
                    return;
                }
            }
            if client.ask(3, &member.heartbeat()).await.error_code == ErrorCode::RebalanceInProgress {
                break;
            }
        }
    }
}

fn offer(id: &str, runs: &BTreeSet<(String, i32)>) -> JoinGroupRequest {
    let mut work: Work<'_> = Vec::new();
    for (name, task) in runs {
        match work.last_mut().filter(|last| last.0 == name) {
            Some((_, tasks)) => tasks.push(*task),
            None => work.push((name, vec![*task])),
        }
    }
    let metadata = |version| Metadata { version, url: "http://w:8083/", offset: 4, runs: work.clone() }.write();
    let protocol = |(name, version): (&str, i16)| JoinGroupRequestProtocol {
        name: name.into(),
        metadata: Bytes::from(metadata(version)),
    };
    JoinGroupRequest {
        group_id: GROUP.into(),
        session_timeout_ms: 30_000,
        rebalance_timeout_ms: 60_000,
        member_id: id.into(),
        protocol_type: "connect".into(),
        protocols: OFFERS.into_iter().map(protocol).collect(),
        ..Default::default()
    }
}

#[tokio::test]
async fn connects_workers_share_connectors_and_wait_for_the_one_that_is_gone() {
    let folder = Folder::with(&[("connect", built("connect"))]);
    let groups = vec![("connect-*".to_owned(), settings())];
    let server = start(Config { assignors: Some(folder.path().to_owned()), groups, ..config() }).await;
    let mut first = Worker::join(server.addr());
    let alone = first.until(|told| told.runs.len() == 12).await;
    assert_eq!(alone.protocol, "sessioned");
    let mut second = Worker::join(server.addr());
    let (one, two) = (first.until(|told| told.runs.len() < 12).await, second.until(|told| !told.runs.is_empty()).await);
    assert!(one.runs.is_disjoint(&two.runs), "{one:?} {two:?}");
    assert_eq!((one.runs.len() + two.runs.len(), &one.leader), (12, &two.leader));
    let share = two.runs.len();
    assert!((5..=7).contains(&share), "connectors and tasks are each spread within one: {two:?}");

    // It leaves, and its work waits; nobody comes back, and the coordinator looks again when the time is over.
    second.end.send(()).unwrap();
    let waiting = first.until(|told| told.delay_ms > 0).await;
    assert_eq!(waiting.runs, one.runs);
    let all = first.until(|told| told.delay_ms == 0).await;
    assert_eq!(all.runs, alone.runs);
    server.stop().await;
}
