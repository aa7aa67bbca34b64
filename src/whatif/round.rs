//! A rebalance as members and coordinator go through it: who learns of it when, who gives up what, who joins, the plan by the
//! path that every leader takes (`membership/lead.rs`), and who begins with what. The times are those of `times.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use super::ledger::{Turn, Unit};
use super::limits::{MAX_ROUNDS, WALL_MS};
use super::stage::{Due, Stage};
use crate::assignor::Plan;
use crate::ids::{MemberId, Mode};
use crate::membership::played::Past;

/// Who knows of a rebalance from its first moment; the others learn of it by their heartbeats.
type Knows = BTreeSet<usize>;

impl Stage<'_> {
    /// Goes through all that is due, until nothing is.
    pub(super) fn live(&mut self) {
        while let Some(((at, _), due)) = self.queue.pop_first() {
            self.now_ms = self.now_ms.max(at);
            let mut knows = Knows::new();
            if self.take_in(due, &mut knows) {
                self.rebalance(knows);
            }
        }
        self.ledger.close(self.now_ms);
    }

    /// Says whether the group has to rebalance for it.
    fn take_in(&mut self, due: Due, knows: &mut Knows) -> bool {
        match due {
            Due::Joins(at) => {
                self.join(at);
                knows.insert(at);
                true
            }
            Due::Returns(at) => {
                let place = self.ghosts.iter().position(|ghost| ghost.player == at);
                match place.filter(|_| self.players[at].spec.is_static) {
                    Some(place) => {
                        self.ghosts.remove(place);
                        self.take_place(at);
                        false
                    }
                    None => self.take_in(Due::Joins(at), knows),
                }
            }
            Due::Leaves(at) => {
                self.drop_work(at, self.now_ms);
                self.players[at].is_up = false;
                let were = self.roster.len();
                self.roster.retain(|it| *it != at);
                self.roster.len() < were
            }
            Due::Stops(at) => {
                if self.players[at].is_up {
                    self.stop(at, self.now_ms);
                }
                false
            }
            Due::SessionOver(id) => {
                let were = self.ghosts.len();
                self.ghosts.retain(|ghost| ghost.id != id);
                self.ghosts.len() < were
            }
            Due::Speaks(at) => self.roster.contains(&at) && knows.insert(at),
            Due::Topics => {
                knows.extend(self.leader);
                !self.roster.is_empty()
            }
            Due::AsksAgain => {
                knows.extend(self.leader);
                !self.roster.is_empty()
            }
        }
    }

    /// A process without a past comes in.
    fn join(&mut self, at: usize) {
        let player = &mut self.players[at];
        player.born += 1;
        // As a coordinator makes it: another one each time.
        player.id = MemberId::from(format!("{}-{}", player.spec.name, player.born));
        (player.is_up, player.has_left, player.past) = (true, false, Past::default());
        self.roster.retain(|it| *it != at);
        self.roster.push(at);
    }

    /// A process takes the place that its lasting name was kept for, and is told again what belongs to it: nobody rebalances
    /// (KIP-345). What the one before it remembered as a leader is gone.
    fn take_place(&mut self, at: usize) {
        let past = self.players[at].past.clone();
        self.join(at);
        if self.leader == Some(at) {
            (self.last_plan, self.memo) = (None, None);
        }
        let told = self.now_ms + 2 * self.times.round_trip_ms;
        for (topic, numbers) in past.had.iter().flat_map(|(_, has)| has) {
            for number in numbers {
                let unit = (topic.clone(), *number);
                self.ledger.turn(told, Turn::Begins, at, unit.clone());
                self.players[at].share.insert(unit);
            }
        }
        self.players[at].past = past;
        self.now_ms = told;
    }

    /// Round after round, until nobody has anything to give up.
    fn rebalance(&mut self, mut knows: Knows) {
        for _ in 0..MAX_ROUNDS {
            match self.round(knows) {
                Some(next) if !next.is_empty() => knows = next,
                _ => return,
            }
        }
        self.step.notes.push(format!("it does not come to rest within {MAX_ROUNDS} rounds of handing over"));
    }

    /// One generation. Says who has given something up and joins again; none if there is no group.
    fn round(&mut self, mut knows: Knows) -> Option<Knows> {
        let joined_ms = self.join_phase(&mut knows);
        if self.roster.is_empty() {
            (self.leader, self.last_plan, self.memo, self.call_again_ms) = (None, None, None, None);
            self.now_ms = joined_ms;
            return None;
        }
        if self.leader.is_none_or(|leader| !self.roster.contains(&leader)) {
            self.leader = self.roster.first().copied();
            (self.last_plan, self.memo) = (None, None);
        }
        self.generation = self.generation.next();
        self.step.rebalances += 1;
        (self.progress)(self.number, self.step.rebalances);
        let wall_ms = WALL_MS.saturating_add(i64::try_from(joined_ms).unwrap_or(i64::MAX));
        let led = self.plan(wall_ms);
        self.tell_faults(&led);
        let told_ms = joined_ms + self.times.plan_ms + self.times.round_trip_ms;
        let Some(plan) = led.plan else {
            // The generation is void: whoever goes on with something goes on.
            self.now_ms = told_ms;
            return None;
        };
        Some(self.hand_out(plan, told_ms))
    }

    /// Everybody joins; says when the last one has. Whoever else comes or goes meanwhile is part of it.
    fn join_phase(&mut self, knows: &mut Knows) -> u64 {
        let begin = self.now_ms;
        let mut not_before = if self.leader.is_none() { begin + self.times.first_wait_ms } else { begin };
        let mut came: BTreeMap<usize, u64> = knows.iter().map(|at| (*at, begin)).collect();
        let told: Vec<usize> = self.roster.iter().copied().filter(|at| !knows.contains(at)).collect();
        for (place, at) in (1..).zip(&told) {
            // Heartbeats are spread over their interval.
            came.insert(*at, begin + self.times.heartbeat_ms * place / told.len() as u64);
        }
        loop {
            let arrives = |at: &usize| {
                let busy = self.mode == Mode::Eager && !self.players[*at].share.is_empty();
                came.get(at).copied().unwrap_or(begin) + if busy { self.times.drain_ms } else { 0 }
            };
            let waited_for = self.ghosts.iter().map(|ghost| ghost.until_ms);
            let end = self.roster.iter().map(arrives).chain(waited_for).max().unwrap_or(begin).max(not_before);
            let next = self.queue.first_key_value().map(|(key, _)| *key).filter(|(at, _)| *at <= end);
            let Some((key, due)) = next.and_then(|key| Some((key, self.queue.remove(&key)?))) else {
                self.give_up_all(&came, begin);
                return end + self.times.round_trip_ms;
            };
            self.now_ms = self.now_ms.max(key.0);
            // What had not happened before was waited for.
            not_before = not_before.max(key.0);
            let mut more = Knows::new();
            self.take_in(due, &mut more);
            // Who took its place again is in this rebalance, too.
            for at in more.iter().chain(&self.roster) {
                came.entry(*at).or_insert(self.now_ms);
            }
        }
    }

    /// Eager members join with nothing.
    fn give_up_all(&mut self, came: &BTreeMap<usize, u64>, begin: u64) {
        if self.mode != Mode::Eager {
            return;
        }
        for at in self.roster.clone() {
            let knows_ms = came.get(&at).copied().unwrap_or(begin);
            self.drop_work(at, knows_ms + self.times.drain_ms);
        }
    }

    /// Everybody gets its share. What a cooperative member loses it finishes, and joins again.
    fn hand_out(&mut self, plan: Plan, told_ms: u64) -> Knows {
        let by_id: BTreeMap<&MemberId, usize> = self.roster.iter().map(|at| (&self.players[*at].id, *at)).collect();
        let shares: Vec<(usize, BTreeSet<Unit>, Bytes)> = plan
            .states
            .iter()
            .filter_map(|(id, state)| by_id.get(id).map(|at| (*at, self.share(*at, state), state.clone())))
            .collect();
        self.count_moves(shares.iter().map(|(at, share, _)| (*at, share)));
        let (mut again, mut done_ms) = (Knows::new(), told_ms);
        for (at, share, state) in shares {
            let player = &mut self.players[at];
            let had = std::mem::replace(&mut player.share, share);
            for unit in player.share.difference(&had) {
                self.ledger.turn(told_ms, Turn::Begins, at, unit.clone());
            }
            for unit in had.difference(&player.share) {
                done_ms = told_ms + self.times.drain_ms;
                again.insert(at);
                self.ledger.turn(done_ms, Turn::Ends, at, unit.clone());
            }
            let mut has = BTreeMap::<_, Vec<i32>>::new();
            player.share.iter().for_each(|(topic, number)| has.entry(topic.clone()).or_default().push(*number));
            let had = Some((self.generation, has.into_iter().collect()));
            player.past = Past { had, last_state: Some(state) };
        }
        (self.last_plan, self.memo) = (Some(Arc::new(plan.states)), plan.memo);
        self.call_again_ms = plan.call_again.map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
        self.now_ms = done_ms;
        again
    }

    /// What comes to somebody while another had it last has moved; what nobody has for now is still known as the last one's.
    fn count_moves<'s>(&mut self, shares: impl Iterator<Item = (usize, &'s BTreeSet<Unit>)>) {
        let mut owners = BTreeMap::<&Unit, Vec<usize>>::new();
        shares.for_each(|(at, share)| share.iter().for_each(|unit| owners.entry(unit).or_default().push(at)));
        let before = (self.step.moved, self.step.new);
        for (unit, owners) in owners {
            let Some(known) = self.known.get(unit) else {
                self.step.new += owners.len();
                self.known.insert(unit.clone(), owners);
                continue;
            };
            let moved = owners.iter().filter(|owner| !known.contains(owner)).count();
            self.step.moved += moved;
            if known.iter().all(|at| self.roster.contains(at)) {
                self.step.moved_from_present += moved;
            }
            self.known.insert(unit.clone(), owners);
        }
        self.has_changed = before != (self.step.moved, self.step.new);
    }
}
