//! Whatever happens to a member, in whatever order: it never gives up what it has not, never begins anew before it has
//! finished, never asks to be woken in the past, and comes to rest when its world does.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use divvy_assignor_connect::wire;
use proptest::prelude::*;

use super::story::{assignment, config, fake, joined, refused, synced};
use crate::embedded::connect::Worker;
use crate::ids::{Generation, MemberId};
use crate::membership::change::Change;
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, Leaving, Look, Peer, Sent, SyncAnswer};
use crate::membership::{Action, Membership, Notice, Share, TopicPattern};
use crate::time::{Now, Timestamp, WallTime};
use crate::topics::{Topic, TopicTable};
use crate::wire::ErrorCode;

/// What a coordinator may say instead of yes.
const ERRORS: [ErrorCode; 10] = [
    ErrorCode::RebalanceInProgress,
    ErrorCode::IllegalGeneration,
    ErrorCode::UnknownMemberId,
    ErrorCode::NotCoordinator,
    ErrorCode::CoordinatorNotAvailable,
    ErrorCode::CoordinatorLoadInProgress,
    ErrorCode::MemberIdRequired,
    ErrorCode::RequestTimedOut,
    ErrorCode::RebalanceInProgress,
    ErrorCode::UnknownServerError,
];

const KINDS: usize = 5;

type Piece = (String, i32);

/// A member, its application and its world.
struct World {
    member: Membership,
    is_cooperative: bool,
    is_connect: bool,
    now: Now,
    asked: Vec<Action>,
    /// What the application works on, and what of it it was told to finish.
    works: BTreeSet<Piece>,
    finishing: Option<(Generation, BTreeSet<Piece>)>,
    generation: i32,
    topics: u32,
    joins: usize,
    is_over: bool,
}

fn pieces(share: &Share) -> BTreeSet<Piece> {
    match share {
        Share::Partitions(topics) => {
            topics.iter().flat_map(|(topic, list)| list.iter().map(move |it| (topic.to_string(), *it))).collect()
        }
        Share::State(state) if state.is_empty() => BTreeSet::new(),
        Share::State(_) => BTreeSet::from([("state".to_owned(), 0)]),
    }
}

impl World {
    fn new(kind: usize) -> Self {
        let context = None;
        let (purpose, manifest) = match kind {
            0 => (Purpose::Topics(vec!["clicks".into()]), r#"{"abi":"1.0","name":"mine"}"#),
            1 => (Purpose::Topics(vec!["clicks".into()]), r#"{"abi":"1.0","name":"mine","mode":"cooperative"}"#),
            2 => (
                Purpose::Matching { pattern: TopicPattern::new("clicks.*").unwrap(), topics: Vec::new() },
                r#"{"abi":"1.0","name":"mine","mode":"cooperative"}"#,
            ),
            3 => (
                Purpose::States { protocol_type: "single-writer".into(), metadata: None, context },
                r#"{"abi":"1.0","name":"mine","protocol_type":"single-writer","shape":"states"}"#,
            ),
            _ => (
                Purpose::Connect { worker: Worker { url: "w".to_owned(), config_offset: 0 }, context },
                r#"{"abi":"1.0","name":"mine","protocol_type":"connect","shape":"states","mode":"cooperative"}"#,
            ),
        };
        let is_cooperative = manifest.contains("cooperative");
        let now = Now { mono: Timestamp(1_000_000), wall: WallTime(0) };
        let config = Config { purpose, assignors: vec!["mine".to_owned()], ..config() };
        let mut world = Self {
            member: Membership::new(config, 42, now),
            is_cooperative,
            is_connect: kind == 4,
            now,
            asked: Vec::new(),
            works: BTreeSet::new(),
            finishing: None,
            generation: 0,
            topics: 1,
            joins: 0,
            is_over: false,
        };
        world.give(Event::Strategies([fake(manifest)].into_iter().collect()));
        world
    }

    fn give(&mut self, event: Event) {
        let actions = self.member.handle(event, self.now);
        assert!(!self.is_over || actions.is_empty(), "it is over, and wants {actions:?}");
        for action in actions {
            match action {
                Action::Tell(notice) => self.told(notice),
                Action::Join(..) => {
                    assert!(self.finishing.is_none(), "it joins before the application has finished");
                    assert!(self.is_cooperative || self.works.is_empty(), "it joins with work: {:?}", self.works);
                    self.joins += 1;
                    self.asked.push(action);
                }
                Action::Leave(_, Leaving::Drains) => {
                    assert!(self.works.is_empty(), "it hands over what is worked on: {:?}", self.works);
                    self.asked.push(action);
                }
                Action::FindCoordinator => {
                    // The connections are gone, and what was asked with them; plans are made here.
                    self.asked.retain(|it| matches!(it, Action::Lead(..)));
                    self.asked.push(action);
                }
                action => self.asked.push(action),
            }
        }
        let next = self.member.next_deadline();
        assert!(next.is_none_or(|at| at > self.now.mono), "it wants to be woken at {next:?}, and it is {:?}", self.now);
        assert!(!self.member.is_drained() || self.works.is_empty());
    }

    fn told(&mut self, notice: Notice) {
        match notice {
            Notice::Assigned(assigned) => {
                assert!(self.finishing.is_none(), "it begins before it has finished");
                if !self.is_cooperative {
                    assert!(self.works.is_empty(), "it is given more than it gave up: {:?}", self.works);
                }
                self.works = pieces(&assigned.share);
            }
            Notice::Revoke { generation, share } => {
                let share = pieces(&share);
                assert!(self.finishing.is_none(), "it is told to finish twice");
                assert!(share.is_subset(&self.works), "{share:?} of {:?}", self.works);
                self.finishing = Some((generation, share));
            }
            Notice::Lost { share, .. } => {
                assert_eq!(pieces(&share), self.works, "all that is worked on is lost");
                self.works.clear();
                self.finishing = None;
            }
            Notice::Drained => assert!(self.works.is_empty() && self.finishing.is_none()),
            Notice::Failed { .. } | Notice::Ended(_) => self.is_over = true,
            _ => {}
        }
    }

    fn pass(&mut self, ms: u64) {
        self.now.mono = self.now.mono + Duration::from_millis(ms);
        self.give(Event::Tick);
    }

    fn finish(&mut self) {
        if let Some((generation, share)) = self.finishing.take() {
            self.works.retain(|it| !share.contains(it));
            self.give(Event::GivenUp(generation));
        }
    }

    /// One of the questions is answered: well, or with an error, or not at all.
    fn answer(&mut self, which: usize, how: u8) {
        if self.asked.is_empty() {
            return;
        }
        let action = self.asked.remove(which % self.asked.len());
        let error = match how {
            0..128 => ErrorCode::None,
            128..220 => ERRORS[usize::from(how) % ERRORS.len()],
            220.. => return self.no_answer(action),
        };
        match action {
            Action::FindCoordinator if error.is_error() => self.give(Event::CoordinatorNotFound("nobody".to_owned())),
            Action::FindCoordinator => {
                let peer = if how.is_multiple_of(2) { Peer::Divvy } else { Peer::Other };
                self.give(Event::CoordinatorFound(peer));
            }
            Action::Join(sent, call) => {
                let answer = match error {
                    ErrorCode::None => {
                        self.generation += 1;
                        let leader = if how.is_multiple_of(3) { "me" } else { "other" };
                        let me = super::story::member("me", call.offers[0].1.clone());
                        let members = if leader == "me" { vec![me] } else { Vec::new() };
                        JoinAnswer { leader: MemberId::from(leader), members, ..joined(self.generation, "mine@1") }
                    }
                    error => refused(error),
                };
                self.give(Event::Joined(sent, answer));
            }
            Action::Sync(sent, _) => {
                let state = self.state(how);
                self.give(Event::Synced(sent, SyncAnswer { error, ..synced(state) }));
            }
            Action::Heartbeat(sent, _) => self.give(Event::Beaten(sent, error)),
            Action::Listen(sent, _) => self.give(Event::Heard(sent, error)),
            Action::Leave(sent, _) => self.give(Event::LeaveDone(sent, error)),
            Action::FetchTopics(sent, look) => {
                let names = match look {
                    Look::At(names) => names,
                    Look::AtAll => (0..self.topics).map(|it| format!("clicks-{it}").as_str().into()).collect(),
                };
                let topic = Topic { partitions: 2 + self.topics, racks: Vec::new() };
                let table = TopicTable(names.into_iter().map(|name| (name, topic.clone())).collect());
                self.give(Event::Topics(sent, if error.is_error() { Err("no".to_owned()) } else { Ok(table) }));
            }
            Action::Lead(sent, job) => self.give(Event::Led(sent, Box::new(job.run()))),
            Action::Tell(_) => {}
        }
    }

    fn no_answer(&mut self, action: Action) {
        match action {
            Action::Join(sent, _)
            | Action::Sync(sent, _)
            | Action::Heartbeat(sent, _)
            | Action::Listen(sent, _)
            | Action::Leave(sent, _)
            | Action::FetchTopics(sent, _) => self.give(Event::Unanswered(sent, "no answer".to_owned())),
            other => self.asked.push(other),
        }
    }

    fn state(&self, how: u8) -> Bytes {
        let some: Vec<i32> = (0..4).filter(|it| how >> it & 1 == 1).collect();
        match (&self.member.config.purpose, self.is_connect) {
            (Purpose::States { .. }, _) => Bytes::from_static(b"a state"),
            (_, true) => {
                let work = if some.is_empty() { Vec::new() } else { vec![("jdbc", some)] };
                let revoked = if how & 16 == 0 { Vec::new() } else { vec![("jdbc", vec![0, 1, 2, 3])] };
                wire::Assignment { version: 1, work, revoked, ..wire::Assignment::default() }.write().into()
            }
            _ => assignment(&some),
        }
    }

    fn happens(&mut self, (what, how): (u8, u8)) {
        match what % 16 {
            0..8 => self.answer(usize::from(what / 16), how),
            8 => self.pass(u64::from(how) * 50),
            9 => {
                let next = self.member.next_deadline().map_or(0, |at| at.0.saturating_sub(self.now.mono.0));
                self.pass(next);
            }
            10 | 11 => self.finish(),
            12 => self.give(Event::Change(Change::Fact("weight".to_owned(), Some((how % 3).into())))),
            13 => {
                let event = if how < 128 { Event::Drain } else { Event::Resume };
                self.give(event);
            }
            14 => self.topics = 1 + u32::from(how % 3),
            _ => {
                // An answer that is late by a generation, or of nobody's question.
                let sent = Sent { ticket: 0, generation: Generation(self.generation - 1), member: "me".into() };
                self.give(Event::CommitRefused(sent.clone(), ErrorCode::IllegalGeneration));
                self.give(Event::Beaten(sent, ErrorCode::UnknownMemberId));
            }
        }
    }

    /// From now on all goes well, for ten minutes; how many JoinGroups are sent in the last five of them.
    fn calms(&mut self) -> usize {
        self.give(Event::Resume);
        let end = self.now.mono + Duration::from_secs(600);
        let middle = self.now.mono + Duration::from_secs(300);
        let mut before = 0;
        let mut steps = 0;
        while self.now.mono < end {
            steps += 1;
            assert!(steps < 20_000, "it never rests");
            self.finish();
            match self.asked.iter().position(|it| !matches!(it, Action::Listen(..))) {
                // Nobody else: it leads, and keeps what it has under any protocol.
                Some(at) => self.answer(at, 0x0f & !1),
                None => {
                    let next = self.member.next_deadline().map_or(1_000, |at| at.0.saturating_sub(self.now.mono.0));
                    self.pass(next.clamp(1, 60_000));
                }
            }
            if self.now.mono < middle {
                before = self.joins;
            }
        }
        self.joins - before
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens(kind in 0..KINDS, events in proptest::collection::vec(any::<(u8, u8)>(), 0..300)) {
        let mut world = World::new(kind);
        for event in events {
            if world.is_over {
                return Ok(());
            }
            world.happens(event);
        }
        let joins = world.calms();
        prop_assert!(!world.is_over);
        prop_assert_eq!(joins, 0, "it joins again and again");
        prop_assert!(world.member.has_share(), "it comes back to work");
    }
}
