//! A worker of type `connect`: it goes on with its tasks while the group rebalances, is told what is new and what to give up, and joins
//! again when it has given that up, or when its state says so (KIP-415).

use std::time::Duration;

use bytes::Bytes;
use divvy_assignor_connect::wire::{Assignment, Metadata, Work};

use super::story::{Story, config, fake, joined, synced};
use crate::embedded::connect::Worker;
use crate::ids::Generation;
use crate::membership::change::Change;
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, JoinCall, Peer};
use crate::membership::notice::{Notice, Share};
use crate::membership::{Action, Cause};
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);
const CONNECT: &str =
    r#"{"abi":"1.0","name":"connect","protocol_type":"connect","shape":"states","mode":"cooperative"}"#;

fn worker() -> Story {
    let worker = Worker { url: "http://w1:8083/".to_owned(), config_offset: 3 };
    let purpose = Purpose::Connect { worker, context: Some(r#"{"connectors":{"jdbc":2}}"#.into()) };
    let mut story = Story::new(Config { purpose, ..config() });
    story.strategies(vec![fake(CONNECT)]).start(Peer::Other);
    story
}

/// What it says in the JoinGroup that is answered.
fn follows(story: &mut Story, generation: i32) -> Vec<(String, Vec<i32>)> {
    let (sent, call) = story.join();
    story.give(Event::Joined(sent, JoinAnswer { leader: "other".into(), ..joined(generation, "connect@1") }));
    runs(&call)
}

fn runs(call: &JoinCall) -> Vec<(String, Vec<i32>)> {
    let said = Metadata::read(&call.offers[0].1).unwrap();
    assert_eq!((said.version, said.url), (1, "http://w1:8083/"));
    said.runs.iter().map(|(connector, tasks)| ((*connector).to_owned(), tasks.clone())).collect()
}

fn is_told(story: &mut Story, work: Work<'_>, revoked: Work<'_>, delay_ms: i32) {
    let state = Assignment { version: 1, work, revoked, delay_ms, ..Assignment::default() }.write();
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced(Bytes::from(state))));
}

fn share(connectors: &[(&str, &[i32])]) -> Share {
    Share::Partitions(connectors.iter().map(|(name, tasks)| ((*name).into(), tasks.to_vec())).collect())
}

#[test]
fn changes_are_taken_in_and_said_in_the_next_round() {
    let mut story = worker();
    assert_eq!(follows(&mut story, 1), []);
    is_told(&mut story, vec![("jdbc", vec![-1, 0, 1])], Work::new(), 0);
    assert_eq!(story.assigned().share, share(&[("jdbc", &[-1, 0, 1])]));
    story.told.clear();

    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    assert!(story.told.is_empty(), "it goes on: {:?}", story.told);
    assert_eq!(follows(&mut story, 2), [("jdbc".to_owned(), vec![-1, 0, 1])]);
    is_told(&mut story, vec![("sink", vec![0])], vec![("jdbc", vec![1])], 0);
    assert_eq!(story.told, [Notice::Revoke { generation: Generation(2), share: share(&[("jdbc", &[1])]) }]);
    story.give(Event::GivenUp(Generation(2)));
    assert_eq!(story.assigned().share, share(&[("jdbc", &[-1, 0]), ("sink", &[0])]));
    assert_eq!(follows(&mut story, 3), [("jdbc".to_owned(), vec![-1, 0]), ("sink".to_owned(), vec![0])]);
    is_told(&mut story, Work::new(), Work::new(), 0);
    let assigned = story.assigned();
    assert_eq!((assigned.share, assigned.cause), (share(&[("jdbc", &[-1, 0]), ("sink", &[0])]), Cause::Step));
    story.wants_nothing();
}

#[test]
fn a_delay_is_a_time_to_join_again() {
    let mut story = worker();
    follows(&mut story, 1);
    is_told(&mut story, vec![("jdbc", vec![0])], Work::new(), 20_000);
    let before = story.now.mono;
    while !story.wanted.iter().any(|it| matches!(it, Action::Join(..))) {
        story.pass_until_due();
        if matches!(story.wanted.last(), Some(Action::Heartbeat(..))) {
            story.beats(ErrorCode::None);
        }
    }
    assert_eq!(story.now.mono - before, Duration::from_secs(20));
    assert_eq!(follows(&mut story, 2), [("jdbc".to_owned(), vec![0])], "with all that it runs");
}

#[test]
fn a_newer_configuration_is_said_once() {
    let mut story = worker();
    follows(&mut story, 1);
    is_told(&mut story, vec![("jdbc", vec![0])], Work::new(), 0);
    for _ in 0..3 {
        story.give(Event::Change(Change::ConfigOffset(9)));
    }
    let (_, call) = story.pass(Duration::from_secs(1)).join();
    assert_eq!(Metadata::read(&call.offers[0].1).unwrap().offset, 9);
}
