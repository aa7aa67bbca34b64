//! Coordinators and brokers that take a member's connection and then say nothing more: a process that is frozen, a network
//! that forgot a connection. The member finds out in bounded time, and goes on at whoever answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use divvy::client::{Builder, Note, Offset};
use divvy::server::Server;
use divvy::server::config::Config;
use divvy::wire::ApiKey;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::member_cases::{asks, story};
use crate::member_double::{Double, Fault};
use crate::member_ground::{Folder, Worker, builder, built, start};
use crate::support::{config, own_address, serve, within};
use ApiKey::{FindCoordinator, JoinGroup, SyncGroup};

/// How long an answer may take here.
const PATIENCE: Duration = Duration::from_millis(400);

/// How long a rebalance may take here.
const REBALANCE: Duration = Duration::from_millis(300);

fn hasty(address: impl ToString) -> Builder {
    builder(address, "indexers").subscribe(["clicks"]).request_timeout(PATIENCE).rebalance_timeout(REBALANCE)
}

/// A way to a server that can be blocked: what was sent is taken, and never arrives.
struct Gate {
    address: SocketAddr,
    /// How many of its connections are blocked, the oldest first; `usize::MAX` blocks those to come.
    blocked: Arc<watch::Sender<usize>>,
    listener: Option<TcpListener>,
}

impl Gate {
    /// One that leads nowhere yet.
    async fn new() -> Self {
        let listener = TcpListener::bind(own_address()).await.unwrap();
        let address = listener.local_addr().unwrap();
        Self { address, blocked: Arc::new(watch::Sender::new(0)), listener: Some(listener) }
    }

    /// From now on it leads there.
    fn leads_to(&mut self, server: SocketAddr) {
        let (listener, blocked) = (self.listener.take().unwrap(), Arc::clone(&self.blocked));
        start(async move {
            for number in 1.. {
                let (mut from, _) = listener.accept().await.unwrap();
                let mut block = blocked.subscribe();
                start(async move {
                    let mut to = TcpStream::connect(server).await.unwrap();
                    tokio::select! {
                        // However that ends.
                        _ = copy_bidirectional(&mut from, &mut to) => {}
                        () = async { drop(block.wait_for(|blocked| *blocked >= number).await) } => std::future::pending().await,
                    }
                });
            }
        });
    }

    /// Nothing gets through any more.
    fn block(&self) {
        self.blocked.send_replace(usize::MAX);
    }

    /// Nothing gets through on the first of its connections.
    fn block_first(&self, connections: usize) {
        self.blocked.send_replace(connections);
    }
}

/// Whatever request is not answered: it is asked again in bounded time, as the same member and in the same generation.
#[tokio::test]
async fn a_request_that_is_not_answered_is_sent_again_in_bounded_time() {
    let joins =
        ["FindCoordinator", "JoinGroup as a newcomer", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"];
    let cases = [
        (FindCoordinator, ["FindCoordinator: silence"].iter().chain(&joins).copied().collect::<Vec<_>>(), PATIENCE),
        (
            JoinGroup,
            vec!["JoinGroup m1: silence", "FindCoordinator", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"],
            // The group may hold the answer for as long as the rebalance may take.
            REBALANCE + PATIENCE,
        ),
        (
            SyncGroup,
            vec!["SyncGroup m1 in 1: silence", "FindCoordinator", "SyncGroup m1 in 1", "Heartbeat m1 in 1"],
            Duration::ZERO,
        ),
    ];
    for (key, wanted, least) in cases {
        let double = Double::with([(key, Fault::Silence)]).await;
        let _worker = Worker::join(hasty(double.address)).await;
        let lines = double.stable().await;
        let story = story(&lines);
        let asked: Vec<&str> = story.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(asked, asks(&wanted), "{}", key.name());
        let waited = story[1].0.at - story[0].0.at;
        assert!(waited >= least, "{}: it waits {waited:?}", key.name());
    }
}

#[tokio::test]
async fn a_coordinator_that_freezes_is_left_for_another() {
    let mut gate = Gate::new().await;
    let advertised_listener = Some(gate.address.to_string().parse().unwrap());
    let first = serve(Config { advertised_listener, ..config() }).await;
    gate.leads_to(first.addr());
    let second = serve(config()).await;
    let modules = Folder::with(&[("range", built("range"))]);
    let member = hasty(format!("{},{}", gate.address, second.addr())).assignors(modules.path());
    let mut worker = Worker::join(member).await;
    worker.assigned().await;
    gate.block();
    worker.note(|it| matches!(it, Note::CoordinatorLost { .. })).await;
    worker.assigned().await;
}

/// Only one broker was named, and it freezes: the others told of themselves.
#[tokio::test]
async fn brokers_that_nobody_named_are_asked_when_the_named_one_freezes() {
    let (mut named, mut other) = (Gate::new().await, Gate::new().await);
    let advertised_listener = Some(other.address.to_string().parse().unwrap());
    let server = Server::builder(Config { advertised_listener, ..config() }).present_as_kafka().start().await.unwrap();
    named.leads_to(server.addr());
    other.leads_to(server.addr());
    let modules = Folder::with(&[("range", built("range"))]);
    let mut worker = Worker::join(hasty(named.address).assignors(modules.path())).await;
    worker.assigned().await;
    named.block();
    // What there is of connections breaks; new ones get through.
    other.block_first(2);
    worker.note(|it| matches!(it, Note::CoordinatorLost { .. })).await;
    worker.note(|it| matches!(it, Note::CoordinatorFound)).await;
}

/// A connection that nobody answers on any more is no reason for a commit to fail when another one would do.
#[tokio::test]
async fn a_commit_that_is_not_answered_goes_over_another_connection() {
    let mut gate = Gate::new().await;
    let advertised_listener = Some(gate.address.to_string().parse().unwrap());
    let server = serve(Config { advertised_listener, ..config() }).await;
    gate.leads_to(server.addr());
    let modules = Folder::with(&[("range", built("range"))]);
    // No heartbeat comes before the commit and finds out.
    let slow = Duration::from_secs(600);
    let member = hasty(gate.address).assignors(modules.path()).session_timeout(3 * slow).heartbeat_interval(slow);
    let mut worker = Worker::join(member).await;
    worker.assigned().await;
    gate.block_first(2);
    let offset = Offset { topic: "clicks".into(), partition: 0, offset: 7 };
    within(worker.commit(vec![offset])).await.unwrap();
}
