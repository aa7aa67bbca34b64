//! An unmodified client of a test: it joins a group of type consumer, asks for its state, keeps its heart beating and joins
//! again when it is told to, whatever leads.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use divvy::embedded::consumer::{Assignment, Subscription, Tail};
use divvy::wire::ErrorCode;
use divvy::wire::messages::JoinGroupRequest;
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use tokio::sync::watch;

use crate::member_ground::start;
use crate::support::{Client, Member, within};

/// What a client has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    pub generation: i32,
    pub protocol: String,
    pub leader: String,
    /// `topic-number`.
    pub partitions: BTreeSet<String>,
}

/// A running client.
pub struct Consumer(watch::Receiver<Share>);

impl Consumer {
    /// Starts one that offers these protocols and reads these topics. With its end of the test it is gone.
    pub fn join(
        addr: SocketAddr,
        group: &str,
        protocols: &'static [&'static str],
        topics: &'static [&'static str],
    ) -> Self {
        let (told, shares) = watch::channel(Share::default());
        let group = group.to_owned();
        start(async move {
            let mut client = Client::connect(addr).await;
            let mut id = String::new();
            while !told.is_closed() {
                id = live(&mut client, &group, id, protocols, topics, &told).await;
            }
        });
        Self(shares)
    }

    /// Waits for a share like that.
    pub async fn share(&mut self, wanted: impl FnMut(&Share) -> bool) -> Share {
        within(self.0.wait_for(wanted)).await.expect("the client lives").clone()
    }
}

/// One generation, from JoinGroup until something is new; gives back the member's id, empty if it is not known any more.
async fn live(
    client: &mut Client,
    group: &str,
    id: String,
    protocols: &[&str],
    topics: &[&str],
    told: &watch::Sender<Share>,
) -> String {
    let joined = client.ask(5, &subscribe(group, &id, protocols, topics)).await;
    match joined.error_code {
        ErrorCode::None => {}
        ErrorCode::MemberIdRequired => return joined.member_id.to_string(),
        ErrorCode::UnknownMemberId => return String::new(),
        _ => return id,
    }
    let member = Member::of(group, &joined);
    assert!(joined.members.is_empty(), "no member of a led group is its leader");
    // As some clients do: what it brings must not count.
    let synced = client.ask(3, &member.sync(&[(&member.id, b"mine")])).await;
    if synced.error_code.is_error() {
        return member.id;
    }
    let assignment = Assignment::decode(&synced.assignment).expect("a state that every client can read");
    let mut partitions = BTreeSet::new();
    for of_topic in &assignment.topics {
        partitions.extend(of_topic.partitions.iter().map(|number| format!("{}-{number}", of_topic.topic)));
    }
    told.send_replace(Share {
        generation: member.generation,
        protocol: joined.protocol_name.as_ref().map(|it| it.to_string()).unwrap_or_default(),
        leader: joined.leader.to_string(),
        partitions,
    });
    let mut beat = tokio::time::interval(Duration::from_millis(20));
    loop {
        tokio::select! {
            _ = beat.tick() => {}
            () = told.closed() => return member.id,
        }
        match client.ask(3, &member.heartbeat()).await.error_code {
            ErrorCode::None => {}
            ErrorCode::UnknownMemberId => return String::new(),
            _ => return member.id,
        }
    }
}

/// The JoinGroup of a consumer.
pub fn subscribe(group: &str, member: &str, protocols: &[&str], topics: &[&str]) -> JoinGroupRequest {
    let subscription = Subscription { version: 1, topics: topics.to_vec(), tail: Tail::default() }.encode();
    let protocol =
        |name: &&str| JoinGroupRequestProtocol { name: (*name).into(), metadata: Bytes::from(subscription.clone()) };
    JoinGroupRequest {
        group_id: group.into(),
        session_timeout_ms: 30_000,
        rebalance_timeout_ms: 60_000,
        member_id: member.into(),
        protocol_type: "consumer".into(),
        protocols: protocols.iter().map(protocol).collect(),
        ..Default::default()
    }
}
