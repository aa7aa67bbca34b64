//! Which children run: a machine that is told what happened and when, and says what to start, to drain and to kill. Pure;
//! `process.rs` does it.
//!
//! Four laws hold whatever happens. There is never more than one child for the same work. Nothing is handed over before
//! every child that had it has ended. What was lost is killed at once, and started again only when it was assigned again.
//! A child that ended by itself comes back after a wait that grows with each time in a row.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::limits::{FAILURES_KEPT, FIRST_RESTART, LONGEST_RESTART, RUNS_WELL};
use super::say;
use super::work::{Key, Order, too_large};
use crate::membership::backoff::Dice;
use crate::time::Timestamp;

mod slots;
#[cfg(test)]
mod tests;
mod words;

use slots::{Child, Phase, Slots};
pub(super) use words::{Action, Cause, ChildId, Event, Exit, News, Why};

/// What the operator chose.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// How long a child may take to end.
    pub(super) grace: Duration,
    /// How long it may take to be ready; none when it is as soon as it is started.
    pub(super) ready_within: Option<Duration>,
    /// How often in a row a child may fail before the member leaves.
    pub(super) max_restarts: Option<u32>,
    /// How many there may be.
    pub(super) max_children: usize,
    /// How many are started before it is looked again at what happened.
    pub(super) starts_at_once: usize,
}

/// The machine.
#[derive(Debug)]
pub(super) struct Children {
    settings: Settings,
    now: Timestamp,
    dice: Dice,
    out: Vec<Action>,
    slots: Slots,
    last_id: ChildId,
    /// What is to be handed over as soon as nothing is left of this: that of it which children still have.
    handing_over: Option<BTreeSet<Key>>,
    stopping: Option<Why>,
    left: bool,
}

impl Children {
    /// None yet.
    pub(super) fn new(settings: Settings, entropy: u64) -> Self {
        Self {
            settings,
            now: Timestamp::default(),
            dice: Dice::new(entropy),
            out: Vec::new(),
            slots: Slots::default(),
            last_id: 0,
            handing_over: None,
            stopping: None,
            left: false,
        }
    }

    /// Takes in what happened and says what to do, in order.
    pub(super) fn handle(&mut self, event: Event, now: Timestamp) -> Vec<Action> {
        self.now = now;
        match event {
            Event::Assigned(orders) => self.assigned(orders),
            Event::Revoked(keys) => {
                keys.iter().for_each(|key| self.unwanted(key));
                keys.iter().for_each(|key| self.drain(key));
                let has_child = |key: &Key| self.slots.get(key).is_some_and(|slot| slot.child.is_some());
                self.handing_over.get_or_insert_default().extend(keys.into_iter().filter(has_child));
            }
            Event::Lost(keys) => {
                // The member has nothing to hand over any more.
                self.handing_over = None;
                keys.iter().for_each(|key| self.unwanted(key));
                keys.iter().for_each(|key| self.kill(key, Cause::Lost, false));
            }
            Event::Ready(id) => self.ready(id),
            Event::Ended(id, exit) => self.ended(id, exit),
            Event::Stop => self.stop(),
            Event::Out(reason) => {
                self.stopping = Some(Why::Out(reason));
                self.end_all(|it, key| it.kill(key, Cause::Lost, false));
            }
            Event::Tick => {}
        }
        self.turn();
        std::mem::take(&mut self.out)
    }

    /// When [`Event::Tick`] has something to do, if nothing happens before.
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.slots.next_deadline()
    }

    fn assigned(&mut self, orders: Vec<Order>) {
        if self.stopping.is_some() {
            return;
        }
        if orders.len() > self.settings.max_children {
            return self.give_up(format!(
                "the share has {} partitions, and there may be {} children: run more members, raise --max-children, or \
                 leave --each out",
                orders.len(),
                self.settings.max_children
            ));
        }
        if let Some(reason) = orders.iter().find_map(|order| too_large(&order.environment)) {
            return self.give_up(reason);
        }
        let mut orders: BTreeMap<Key, Order> = orders.into_iter().map(|order| (order.key.clone(), order)).collect();
        self.each_key(|it, key| {
            let order = orders.remove(key);
            let Some(slot) = it.slots.get(key) else { return };
            let was_told = |order: &Order| slot.child.as_ref().is_none_or(|child| child.order.work == order.work);
            match &order {
                Some(order) if was_told(order) => {}
                // The same child cannot be told: another one takes its place.
                Some(_) => it.drain(key),
                // It was revoked or lost before, or it is not the member's work.
                None => it.kill(key, Cause::Lost, false),
            }
            it.slots.change(key, |slot| slot.wanted = order);
        });
        for (key, order) in orders {
            self.slots.make(&key, |slot| slot.wanted = Some(order));
        }
    }

    fn unwanted(&mut self, key: &Key) {
        self.slots.change(key, |slot| slot.wanted = None);
    }

    fn ready(&mut self, id: ChildId) {
        let now = self.now;
        let Some(key) = self.slots.key_of(id) else { return };
        if self.in_phase(&key, |phase| matches!(phase, Phase::Starting { .. })) {
            self.put_in_phase(&key, Phase::Running { since: now });
            self.tell(key, News::Ready(id));
        }
    }

    fn ended(&mut self, id: ChildId, exit: Exit) {
        let now = self.now;
        let Some(key) = self.slots.key_of(id) else { return };
        let ended = self.slots.change(&key, |slot| {
            let child = slot.child.take()?;
            if matches!(child.phase, Phase::Running { since } if now - since >= RUNS_WELL) {
                slot.failures = 0;
            }
            Some(child.phase)
        });
        if let Some(keys) = &mut self.handing_over {
            keys.remove(&key);
        }
        match ended.flatten() {
            None => {}
            Some(Phase::Draining { .. } | Phase::Killed { failed: false }) => self.tell(key, News::Ended(id, exit)),
            Some(Phase::Killed { failed: true }) => self.failed(key, id, exit, false),
            Some(Phase::Starting { .. } | Phase::Running { .. }) => self.failed(key, id, exit, true),
        }
    }

    fn failed(&mut self, key: Key, child: ChildId, exit: Exit, by_itself: bool) {
        let (now, most) = (self.now, self.settings.max_restarts);
        let Some(slot) = self.slots.get(&key) else { return };
        let failures = slot.failures.saturating_add(1);
        let doubled = FIRST_RESTART.saturating_mul(1 << (failures - 1).min(16)).min(LONGEST_RESTART);
        let wait = self.dice.around(doubled);
        self.slots.change(&key, |slot| {
            (slot.failures, slot.not_before, slot.forget_at) = (failures, now + wait, now + FAILURES_KEPT);
        });
        let enough = most.is_some_and(|most| failures > most);
        let again_in = (!enough && self.stopping.is_none()).then_some(wait);
        self.tell(key.clone(), News::Failed { child, exit, by_itself, failures, again_in });
        if enough && self.stopping.is_none() {
            self.give_up(format!("{} has failed {failures} times in a row: see what it says above", say::of(&key)));
        }
    }

    /// The others get the work; those children that run end in order.
    fn give_up(&mut self, reason: String) {
        self.stopping = Some(Why::Failing(reason));
        self.end_all(Self::drain);
    }

    fn stop(&mut self) {
        match self.stopping {
            None => {
                self.stopping = Some(Why::Asked);
                self.end_all(Self::drain);
            }
            Some(_) => self.end_all(|it, key| it.kill(key, Cause::Asked, false)),
        }
    }

    /// Nothing is started any more.
    fn end_all(&mut self, mut end: impl FnMut(&mut Self, &Key)) {
        self.each_key(|it, key| {
            it.unwanted(key);
            end(it, key);
        });
    }

    fn in_phase(&self, key: &Key, is_it: impl FnOnce(Phase) -> bool) -> bool {
        self.slots.get(key).and_then(|slot| slot.child.as_ref()).is_some_and(|child| is_it(child.phase))
    }

    /// Gives back which child that is.
    fn put_in_phase(&mut self, key: &Key, phase: Phase) -> Option<ChildId> {
        let put = |child: &mut Child| {
            child.phase = phase;
            child.id
        };
        self.slots.change(key, |slot| slot.child.as_mut().map(put))?
    }

    fn drain(&mut self, key: &Key) {
        let until = self.now + self.settings.grace;
        if self.in_phase(key, |phase| matches!(phase, Phase::Starting { .. } | Phase::Running { .. }))
            && let Some(id) = self.put_in_phase(key, Phase::Draining { until })
        {
            self.out.push(Action::Drain(id));
            self.tell(key.clone(), News::Draining(id));
        }
    }

    fn kill(&mut self, key: &Key, cause: Cause, failed: bool) {
        if self.in_phase(key, |phase| !matches!(phase, Phase::Killed { .. }))
            && let Some(id) = self.put_in_phase(key, Phase::Killed { failed })
        {
            self.out.push(Action::Kill(id));
            self.tell(key.clone(), News::Killed(id, cause));
        }
    }

    /// Does what is due.
    fn turn(&mut self) {
        self.slots.to_look_at(self.now).iter().for_each(|key| self.look_at(key));
        if self.handing_over.take_if(|keys| keys.is_empty()).is_some() {
            self.out.push(Action::HandOver);
        }
        if let Some(why) = self.stopping.clone().filter(|_| self.slots.are_idle() && !self.left) {
            self.left = true;
            self.out.push(Action::Leave(why));
        }
        // Starting takes a while, and what is revoked, lost or to stop is not to wait behind thousands of starts: some, and the
        // rest is due at once.
        self.slots.to_start(self.now, self.settings.starts_at_once).iter().for_each(|key| self.start(key));
    }

    fn look_at(&mut self, key: &Key) {
        let now = self.now;
        let Some(slot) = self.slots.get(key) else { return };
        match slot.child.as_ref().map(|child| child.phase) {
            Some(Phase::Starting { until }) if until <= now => self.kill(key, Cause::NotReady, true),
            Some(Phase::Draining { until }) if until <= now => self.kill(key, Cause::Grace, false),
            Some(Phase::Running { since }) if since + RUNS_WELL <= now => {
                self.slots.change(key, |slot| slot.failures = 0);
            }
            None if slot.wanted.is_none() && slot.forget_at <= now => self.slots.remove(key),
            _ => {}
        }
    }

    fn start(&mut self, key: &Key) {
        let now = self.now;
        let Some(order) = self.slots.get(key).and_then(|slot| slot.wanted.clone()) else { return };
        self.last_id += 1;
        let id = self.last_id;
        let phase = match self.settings.ready_within {
            None => Phase::Running { since: now },
            Some(within) => Phase::Starting { until: now + within },
        };
        self.slots.change(key, |slot| slot.child = Some(Child { id, order: order.clone(), phase }));
        self.out.push(Action::Start(id, order));
        self.tell(key.clone(), News::Started(id));
    }

    fn each_key(&mut self, mut each: impl FnMut(&mut Self, &Key)) {
        self.slots.keys().iter().for_each(|key| each(self, key));
    }

    fn tell(&mut self, key: Key, news: News) {
        self.out.push(Action::Tell(key, news));
    }
}
