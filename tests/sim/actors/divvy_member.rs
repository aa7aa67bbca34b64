//! divvy's own member: the real machine, with what its client does around it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use divvy::group::Reply;
use divvy::group::event::{LeaderResult, OfferedProtocol};
use divvy::ids::Generation;
use divvy::membership::change::Change;
use divvy::membership::config::{Config, SINGLE_WRITER};
use divvy::membership::event::{Action, Event, JoinCall, Origin, Peer, PlanOrError, Sent, SyncCall};
use divvy::membership::{Membership, Notice, Strategies};
use divvy::wire::ErrorCode;

use super::divvy_kind::{JoinsFor, Kind};
use super::divvy_words::{fault, identity, join_answer, origin, sync_answer};
use super::strategies::{even, offer, standby, step_by_step, work};
use super::{Actor, End, Partition, Request, Standing, Turn, Wish};
use crate::calls::{Call, Join};
use crate::network::Lane;
use crate::server::moment;

/// What a tag stands for.
enum Asked {
    Join(Sent),
    Sync(Sent),
    Heartbeat(Sent),
    Listen(Sent),
    Leave(Sent),
    Topics(Sent),
    Coordinator,
}

/// The member.
pub struct DivvyMember {
    kind: Kind,
    membership: Option<Membership>,
    tags: u64,
    asked: BTreeMap<u64, Asked>,
    /// What comes back to the member by itself: plans that are made, work that is given up.
    coming: Vec<(u64, Event)>,
    /// The generation of its share, if it has one.
    share: Option<Generation>,
    /// What its application works on, and what of it it was told to give up.
    work: BTreeSet<Partition>,
    giving_up: BTreeMap<Generation, BTreeSet<Partition>>,
    /// The epoch of its share, if it is the writer.
    epoch: Option<i32>,
    news_at: Option<u64>,
    deed_at: Option<u64>,
    drains: bool,
    calm: bool,
}

impl DivvyMember {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            membership: None,
            tags: 0,
            asked: Default::default(),
            coming: Vec::new(),
            share: None,
            work: BTreeSet::new(),
            giving_up: BTreeMap::new(),
            epoch: None,
            news_at: None,
            deed_at: None,
            drains: false,
            calm: false,
        }
    }

    /// Where nobody would notice a state that is missing, none is.
    fn cuts_plans(&self) -> bool {
        self.kind.is_faulty && !self.calm && self.kind.joins_for != JoinsFor::Writing
    }

    fn strategies(&self, turn: &mut Turn<'_>) -> Strategies {
        let fails = self.kind.is_faulty && !self.calm && turn.dice.percent(40);
        if self.kind.joins_for == JoinsFor::Writing {
            return [standby(fails)].into_iter().collect();
        }
        if self.kind.is_cooperative {
            return [step_by_step(fails)].into_iter().collect();
        }
        let versions: &[u8] = if self.calm || turn.dice.percent(50) { &[1, 2] } else { &[1] };
        versions.iter().map(|version| even(*version, fails && *version == 2)).collect()
    }

    /// What an application does with its member of its own accord.
    fn deed(&mut self, turn: &mut Turn<'_>) {
        if self.deed_at.is_none_or(|at| at > turn.now) || self.membership.is_none() {
            return;
        }
        let event = if std::mem::take(&mut self.drains) {
            Event::Resume
        } else if turn.dice.percent(40) {
            self.drains = true;
            Event::Drain
        } else {
            let value = turn.dice.pick(&[None, Some(1), Some(2)]);
            Event::Change(Change::Fact("weight".to_owned(), value.map(Into::into)))
        };
        self.deed_at = Some(turn.now + turn.dice.tail(8_000, 30_000) + 1);
        self.give(event, turn);
    }

    fn give(&mut self, event: Event, turn: &mut Turn<'_>) {
        let Some(membership) = &mut self.membership else { return };
        let actions = membership.handle(event, moment(turn.now));
        for action in actions {
            self.perform(action, turn);
        }
    }

    fn perform(&mut self, action: Action, turn: &mut Turn<'_>) {
        match action {
            Action::FindCoordinator => {
                // What is on its way to the last one is given up with its connections.
                self.asked.clear();
                turn.wishes.push(Wish::Hangup);
                let tag = self.tag(Asked::Coordinator);
                turn.wishes.push(Wish::Probe { tag });
            }
            Action::Join(sent, call) => {
                let call = self.join(&sent, call.complete(|_, _| ()));
                self.ask(Lane::Main, Asked::Join(sent), call, self.kind.rebalance_ms + 5_000, turn);
            }
            Action::Sync(sent, call) => {
                let call = self.sync(&sent, &call, turn);
                self.ask(Lane::Main, Asked::Sync(sent), call, self.kind.rebalance_ms + 5_000, turn);
            }
            Action::Heartbeat(sent, modules) => {
                let modules =
                    modules.filter(|_| !self.kind.is_a_stranger).map(|it| it.into_iter().map(offer).collect());
                let call = Call::heartbeat(&identity(&sent), modules, None);
                self.ask(Lane::Prompt, Asked::Heartbeat(sent), call, self.kind.session_ms.min(10_000), turn);
            }
            Action::Listen(sent, wait) => {
                let call = Call::heartbeat(&identity(&sent), None, Some(wait).filter(|_| !self.kind.is_a_stranger));
                let patience = wait.as_millis() as u64 + 10_000;
                self.ask(Lane::Ear, Asked::Listen(sent), call, patience, turn);
            }
            Action::Leave(sent, _) => {
                let call = Call::leave(&identity(&sent));
                self.ask(Lane::Prompt, Asked::Leave(sent), call, 10_000, turn);
            }
            Action::FetchTopics(sent, _) => {
                let tag = self.tag(Asked::Topics(sent));
                turn.wishes.push(Wish::Probe { tag });
            }
            Action::Lead(sent, job) => {
                let at = turn.now + turn.dice.tail(20, 1_500);
                self.coming.push((at, Event::Led(sent, Box::new(job.run()))));
            }
            Action::Tell(notice) => self.told(notice, turn),
        }
    }

    fn told(&mut self, notice: Notice, turn: &mut Turn<'_>) {
        match notice {
            Notice::Assigned(assigned) => {
                self.share = Some(assigned.generation);
                self.epoch = assigned.writer().map(|it| it.epoch);
                let has = work(&assigned.share);
                let had = std::mem::replace(&mut self.work, has.clone());
                turn.wishes.push(Wish::Show { had, has });
            }
            Notice::Revoke { generation, share } => {
                self.giving_up.insert(generation, work(&share));
                let at = turn.now + turn.dice.tail(50, self.kind.finishes_ms);
                self.coming.push((at, Event::GivenUp(generation)));
            }
            Notice::Lost { share, .. } => {
                self.share = None;
                self.giving_up.clear();
                work(&share).iter().for_each(|it| _ = self.work.remove(it));
            }
            Notice::Ended(_) | Notice::Failed { .. } => {
                self.membership = None;
                self.work.clear();
            }
            _ => {}
        }
    }

    fn tag(&mut self, asked: Asked) -> u64 {
        self.tags += 1;
        self.asked.insert(self.tags, asked);
        self.tags
    }

    fn ask(&mut self, lane: Lane, asked: Asked, call: Call, patience: u64, turn: &mut Turn<'_>) {
        let tag = self.tag(asked);
        turn.wishes.push(Wish::Ask(Box::new(Request { lane, tag, call, patience })));
    }

    fn join(&self, sent: &Sent, call: JoinCall) -> Call {
        let modules = call.offers.iter().filter_map(|(it, _)| Some(offer((it.protocol.clone(), it.digest?))));
        let modules = (!self.kind.is_a_stranger).then(|| modules.collect());
        let protocols = call
            .offers
            .iter()
            .map(|(it, metadata)| OfferedProtocol { name: it.protocol.clone(), metadata: metadata.clone() });
        let join = Join {
            who: identity(sent),
            client_id: self.kind.name.clone(),
            version: 9,
            session_ms: self.kind.session_ms,
            rebalance_ms: self.kind.rebalance_ms,
            protocol_type: if self.kind.joins_for == JoinsFor::Writing { SINGLE_WRITER } else { "consumer" },
            protocols: protocols.collect(),
            modules,
        };
        join.into()
    }

    fn sync(&self, sent: &Sent, call: &SyncCall, turn: &mut Turn<'_>) -> Call {
        let mut states = call.states.clone();
        if self.cuts_plans() && call.origin.is_some() && turn.dice.percent(20) {
            // Somebody loses a share on the way to the coordinator: its check has to see that.
            states.pop();
        }
        let told = call.origin.as_ref().filter(|_| !self.kind.is_a_stranger);
        let result = match told {
            Some(Origin { verdict: PlanOrError::Error, fault: Some(it), .. }) => LeaderResult::Error(fault(it)),
            told => LeaderResult::Plan { states, origin: told.map(origin) },
        };
        Call::sync(&identity(sent), result)
    }
}

impl Actor for DivvyMember {
    fn start(&mut self, turn: &mut Turn<'_>) {
        if self.membership.is_some() {
            return;
        }
        let purpose = self.kind.purpose();
        let config = Config {
            session_timeout: Duration::from_millis(self.kind.session_ms),
            rebalance_timeout: Duration::from_millis(self.kind.rebalance_ms),
            heartbeat_interval: Duration::from_millis(self.kind.heartbeat_ms),
            assignors: self.kind.names(),
            ..Config::new(self.kind.group.clone(), purpose)
        };
        self.membership = Some(Membership::new(config, turn.dice.draw(), moment(turn.now)));
        self.asked.clear();
        self.coming.clear();
        self.share = None;
        self.giving_up.clear();
        self.drains = false;
        self.news_at = Some(turn.now + turn.dice.within(5_000, 40_000));
        self.deed_at = (self.kind.has_deeds && !self.calm).then(|| turn.now + turn.dice.within(500, 15_000));
        let strategies = self.strategies(turn);
        self.give(Event::Strategies(strategies), turn);
    }

    fn end(&mut self, how: End, turn: &mut Turn<'_>) {
        match how {
            End::Leaves => self.give(Event::Leave, turn),
            End::Dies => {
                self.membership = None;
                turn.wishes.push(Wish::Hangup);
            }
        }
        self.share = None;
        self.work.clear();
    }

    fn calm(&mut self, turn: &mut Turn<'_>) {
        self.calm = true;
        self.news_at = None;
        self.deed_at = None;
        let strategies = self.strategies(turn);
        self.give(Event::Strategies(strategies), turn);
        if std::mem::take(&mut self.drains) {
            self.give(Event::Resume, turn);
        }
    }

    fn wake(&mut self, turn: &mut Turn<'_>) {
        if let Some(at) = self.news_at.filter(|at| *at <= turn.now && self.membership.is_some()) {
            self.news_at = Some(at + turn.dice.within(10_000, 40_000));
            let strategies = self.strategies(turn);
            self.give(Event::Strategies(strategies), turn);
        }
        let due = self.coming.extract_if(.., |(at, _)| *at <= turn.now).collect::<Vec<_>>();
        for (_, event) in due {
            if let Event::GivenUp(generation) = event {
                let given_up = self.giving_up.remove(&generation).unwrap_or_default();
                given_up.iter().for_each(|it| _ = self.work.remove(it));
            }
            self.give(event, turn);
        }
        self.deed(turn);
        self.give(Event::Tick, turn);
    }

    fn wakes_at(&self) -> Option<u64> {
        let membership = self.membership.as_ref()?;
        let coming = self.coming.iter().map(|(at, _)| *at);
        membership
            .next_deadline()
            .map(|at| at.0)
            .into_iter()
            .chain(coming)
            .chain(self.news_at)
            .chain(self.deed_at)
            .min()
    }

    fn answered(&mut self, tag: u64, reply: Reply, turn: &mut Turn<'_>) {
        match (self.asked.remove(&tag), reply) {
            (Some(Asked::Join(sent)), Reply::Join(reply)) => self.give(Event::Joined(sent, join_answer(reply)), turn),
            (Some(Asked::Sync(sent)), Reply::Sync(reply)) => self.give(Event::Synced(sent, sync_answer(reply)), turn),
            (Some(Asked::Heartbeat(sent)), Reply::Heartbeat(error)) => self.give(Event::Beaten(sent, error), turn),
            (Some(Asked::Listen(sent)), Reply::Heartbeat(error)) => self.give(Event::Heard(sent, error), turn),
            (Some(Asked::Leave(sent)), _) => self.give(Event::LeaveDone(sent, ErrorCode::None), turn),
            _ => {}
        }
    }

    fn unanswered(&mut self, tag: u64, turn: &mut Turn<'_>) {
        let reason = "its connection is gone".to_owned();
        match self.asked.remove(&tag) {
            Some(
                Asked::Join(sent)
                | Asked::Sync(sent)
                | Asked::Heartbeat(sent)
                | Asked::Listen(sent)
                | Asked::Leave(sent)
                | Asked::Topics(sent),
            ) => {
                self.give(Event::Unanswered(sent, reason), turn);
            }
            Some(Asked::Coordinator) | None => {}
        }
    }

    fn probed(&mut self, tag: u64, is_up: bool, turn: &mut Turn<'_>) {
        let peer = if self.kind.is_a_stranger { Peer::Other } else { Peer::Divvy };
        let event = match self.asked.remove(&tag) {
            Some(Asked::Coordinator) if is_up => Event::CoordinatorFound(peer),
            Some(Asked::Coordinator) => Event::CoordinatorNotFound("nobody listens".to_owned()),
            Some(Asked::Topics(sent)) if is_up => Event::Topics(sent, Ok(self.kind.sees(turn.now))),
            Some(Asked::Topics(sent)) => Event::Unanswered(sent, "nobody listens".to_owned()),
            _ => return,
        };
        self.give(event, turn);
    }

    fn works_on(&self) -> Option<&BTreeSet<Partition>> {
        Some(&self.work)
    }

    fn writes(&self) -> Option<i32> {
        self.epoch.filter(|_| !self.work.is_empty())
    }

    fn standing(&self) -> Standing {
        let Some(membership) = &self.membership else { return Standing::Gone };
        match membership.identity().filter(|(_, generation)| self.share == Some(*generation)) {
            Some((member, generation)) => Standing::In { member, generation },
            None => Standing::Out,
        }
    }
}
