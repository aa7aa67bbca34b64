//! A member under test, with the words to tell its story.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest, MemberInput, native_range};
use crate::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};
use crate::ids::{Digest, Generation, GroupId, MemberId, Protocol, TopicName};
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{
    Event, JoinAnswer, JoinCall, JoinExtras, Leaving, Look, Peer, Sent, SyncAnswer, SyncCall,
};
use crate::membership::notice::{Assigned, Notice};
use crate::membership::{Action, Actions, Membership};
use crate::time::{Now, Timestamp, WallTime};
use crate::topics::{Topic, TopicTable};
use crate::wire::ErrorCode;

/// A member, and all that it has wanted and not been given yet.
pub struct Story {
    pub member: Membership,
    pub now: Now,
    pub wanted: Actions,
    pub told: Vec<Notice>,
    /// The heartbeats that the coordinator is asked to hold.
    pub listens: Vec<(Sent, Duration)>,
}

pub fn config() -> Config {
    Config {
        session_timeout: Duration::from_secs(10),
        heartbeat_interval: Duration::from_secs(3),
        ..Config::new(GroupId::from("indexers"), Purpose::Topics(vec![TopicName::from("clicks")]))
    }
}

/// A strategy that does what the host's own range does, or fails.
pub struct Fake {
    manifest: Manifest,
    digest: Digest,
    fails: bool,
}

impl Assignor for Fake {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    fn digest(&self) -> Option<Digest> {
        Some(self.digest)
    }
    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        match self.fails {
            false => native_range().call(export, request, budget),
            true => Err(CallError { kind: FaultKind::Trap, code: None, message: "it trapped".into() }),
        }
    }
}

pub fn fake(manifest: &str) -> Arc<dyn Assignor> {
    let manifest: Manifest = serde_json::from_str(manifest).unwrap();
    let digest = Digest([u8::try_from(manifest.version).unwrap(); 32]);
    Arc::new(Fake { manifest, digest, fails: false })
}

pub fn failing(manifest: &str) -> Arc<dyn Assignor> {
    let manifest: Manifest = serde_json::from_str(manifest).unwrap();
    Arc::new(Fake { manifest, digest: Digest([0xff; 32]), fails: true })
}

pub const RACK_AWARE_1: &str = r#"{"abi":"1.0","name":"rack-aware","version":1,"rank":20}"#;
pub const RACK_AWARE_2: &str = r#"{"abi":"1.0","name":"rack-aware","version":2,"rank":20}"#;

impl Story {
    pub fn new(config: Config) -> Self {
        let now = Now { mono: Timestamp(1_000_000), wall: WallTime(1_700_000_000_000) };
        Self {
            member: Membership::new(config, 42, now),
            now,
            wanted: Vec::new(),
            told: Vec::new(),
            listens: Vec::new(),
        }
    }

    pub fn give(&mut self, event: Event) -> &mut Self {
        for action in self.member.handle(event, self.now) {
            match action {
                Action::Tell(notice) => self.told.push(notice),
                Action::Listen(sent, wait) => self.listens.push((sent, wait)),
                action => self.wanted.push(action),
            }
        }
        self
    }

    pub fn strategies(&mut self, strategies: Vec<Arc<dyn Assignor>>) -> &mut Self {
        self.give(Event::Strategies(strategies.into_iter().collect()))
    }

    pub fn pass(&mut self, time: Duration) -> &mut Self {
        self.now.mono = self.now.mono + time;
        self.give(Event::Tick)
    }

    /// Lets time pass until the member has something to do of itself.
    pub fn pass_until_due(&mut self) -> &mut Self {
        let at = self.member.next_deadline().expect("the member waits for nothing");
        self.now.mono = self.now.mono.max(at);
        self.give(Event::Tick)
    }

    /// Lets time pass until the member wants something.
    pub fn pass_until_wanted(&mut self) -> &mut Self {
        while self.wanted.is_empty() {
            self.pass_until_due();
        }
        self
    }

    fn take<T>(&mut self, what: &str, pick: impl Fn(&Action) -> Option<T>) -> T {
        let found = self.wanted.iter().enumerate().find_map(|(at, action)| Some((at, pick(action)?)));
        let (at, it) = found.unwrap_or_else(|| panic!("the member wanted no {what}, but {:?}", self.wanted));
        self.wanted.remove(at);
        it
    }

    pub fn join(&mut self) -> (Sent, JoinCall) {
        self.take("JoinGroup", |it| match it {
            Action::Join(sent, call) => Some((sent.clone(), call.clone())),
            _ => None,
        })
    }

    pub fn sync(&mut self) -> (Sent, Arc<SyncCall>) {
        self.take("SyncGroup", |it| match it {
            Action::Sync(sent, call) => Some((sent.clone(), Arc::clone(call))),
            _ => None,
        })
    }

    pub fn heartbeat(&mut self) -> (Sent, Option<Vec<(Protocol, Digest)>>) {
        self.take("heartbeat", |it| match it {
            Action::Heartbeat(sent, modules) => Some((sent.clone(), modules.clone())),
            _ => None,
        })
    }

    pub fn topics_asked(&mut self) -> (Sent, Vec<TopicName>) {
        self.take("topics", |it| match it {
            Action::FetchTopics(sent, Look::At(names)) => Some((sent.clone(), names.clone())),
            _ => None,
        })
    }

    /// The look at all topics that the member wants.
    pub fn look(&mut self) -> Sent {
        self.take("look at all topics", |it| match it {
            Action::FetchTopics(sent, Look::AtAll) => Some(sent.clone()),
            _ => None,
        })
    }

    pub fn leave(&mut self) -> (Sent, Leaving) {
        self.take("LeaveGroup", |it| match it {
            Action::Leave(sent, how) => Some((sent.clone(), *how)),
            _ => None,
        })
    }

    pub fn wants_nothing(&self) {
        assert!(self.wanted.is_empty(), "{:?}", self.wanted);
    }

    /// Runs the strategy that the member wants run.
    pub fn strategy_runs(&mut self) -> &mut Self {
        let (sent, led) = self.take("plan", |it| match it {
            Action::Lead(sent, job) => Some((sent.clone(), job.run())),
            _ => None,
        });
        self.give(Event::Led(sent, Box::new(led)))
    }

    pub fn find_coordinator(&mut self, peer: Peer) -> &mut Self {
        self.take("coordinator", |it| matches!(it, Action::FindCoordinator).then_some(()));
        self.give(Event::CoordinatorFound(peer))
    }

    /// Finds the coordinator, says which topics there are, and takes the id that the coordinator gives.
    pub fn start(&mut self, peer: Peer) -> &mut Self {
        self.give(Event::Tick).find_coordinator(peer);
        if !self.member.config.purpose.topics().is_empty() {
            self.topics_are(&[("clicks", 4)]);
        }
        let (sent, _) = self.join();
        assert_eq!(sent.member, MemberId::default());
        self.give(Event::Joined(sent, refused(ErrorCode::MemberIdRequired)))
    }

    pub fn topics_are(&mut self, topics: &[(&str, u32)]) -> &mut Self {
        let (sent, names) = self.topics_asked();
        let topics = topics.iter().filter(|(name, _)| names.iter().any(|it| it.as_str() == *name));
        let topics = topics
            .map(|(name, partitions)| (TopicName::from(*name), Topic { partitions: *partitions, racks: Vec::new() }));
        self.give(Event::Topics(sent, Ok(TopicTable(topics.collect()))))
    }

    /// JoinGroup is answered: this member follows.
    pub fn follows(&mut self, generation: i32, protocol: &str) -> &mut Self {
        let (sent, _) = self.join();
        self.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(generation, protocol) }))
    }

    /// JoinGroup is answered: this member leads itself and another one.
    pub fn leads(&mut self, generation: i32, protocol: &str) -> &mut Self {
        self.leads_with(generation, protocol, None)
    }

    pub fn leads_with(&mut self, generation: i32, protocol: &str, extras: Option<JoinExtras>) -> &mut Self {
        let (sent, call) = self.join();
        let metadata = call.offers[0].1.clone();
        let members = vec![member("me", metadata), member("other", subscription(&["clicks"]))];
        self.give(Event::Joined(sent, JoinAnswer { members, extras, ..joined(generation, protocol) }))
    }

    /// SyncGroup is answered with these partitions of `clicks`.
    pub fn gets(&mut self, partitions: &[i32]) -> &mut Self {
        let (sent, _) = self.sync();
        self.give(Event::Synced(sent, synced(assignment(partitions))))
    }

    /// The heartbeat that is due is answered.
    pub fn beats(&mut self, answer: ErrorCode) -> &mut Self {
        let (sent, _) = self.heartbeat();
        self.give(Event::Beaten(sent, answer))
    }

    pub fn assigned(&mut self) -> Assigned {
        match self.told.pop() {
            Some(Notice::Assigned(assigned)) => assigned,
            other => panic!("not assigned but {other:?}"),
        }
    }

    /// A member that follows in generation 5 and has partitions 0 and 1.
    pub fn stable_follower(peer: Peer) -> Self {
        let mut story = Story::new(config());
        story.strategies(vec![fake(RACK_AWARE_1)]).start(peer).follows(5, "rack-aware@1").gets(&[0, 1]);
        story.assigned();
        story.told.clear();
        story.wants_nothing();
        story
    }
}

pub fn joined(generation: i32, protocol: &str) -> JoinAnswer {
    JoinAnswer {
        error: ErrorCode::None,
        generation: Generation(generation),
        protocol: Protocol::from(protocol),
        leader: MemberId::from("me"),
        member: MemberId::from("me"),
        members: Vec::new(),
        skip_assignment: false,
        extras: None,
    }
}

pub fn refused(error: ErrorCode) -> JoinAnswer {
    JoinAnswer { error, leader: MemberId::default(), ..joined(-1, "") }
}

pub fn synced(state: Bytes) -> SyncAnswer {
    SyncAnswer { error: ErrorCode::None, state, reason: None, stand_in: None }
}

pub fn not_synced(error: ErrorCode) -> SyncAnswer {
    SyncAnswer { error, state: Bytes::new(), reason: None, stand_in: None }
}

pub fn member(id: &str, metadata: Bytes) -> MemberInput {
    MemberInput { id: MemberId::from(id), instance: None, metadata }
}

pub fn subscription(topics: &[&str]) -> Bytes {
    Subscription { version: 0, topics: topics.to_vec(), tail: Tail::default() }.encode().into()
}

pub fn assignment(partitions: &[i32]) -> Bytes {
    let topics = vec![TopicPartitions { topic: "clicks", partitions: partitions.iter().copied().collect() }];
    Assignment { topics, user_data: None }.encode().into()
}
