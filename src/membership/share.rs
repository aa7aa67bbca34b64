//! How a share ends: given up in order, or lost at once. Under a cooperative protocol the member goes on with it while the
//! group rebalances, and gives up only what it no longer gets (KIP-429).

use super::drain::Wish;
use super::metadata::Claim;
use super::state::{Hold, Joined, Keeps, Partitions, State};
use super::why::{Cause, Why};
use super::{Membership, Notice, Share, negotiate};
use crate::ids::{Generation, MemberId, Mode};

/// Whether the coordinator still knows the member's id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Id {
    /// Kept: the member joins again under it.
    Kept,
    /// Unknown there: it joins as a new member.
    Forgotten,
}

impl Membership {
    /// The group rebalances, or this member wants it to: the application finishes first, then the member joins again.
    pub(super) fn give_up(&mut self, reason: Why) {
        let steps = self.hands_over_in_steps();
        match std::mem::replace(&mut self.state, State::Over) {
            State::Stable { joined, share: Share::Partitions(partitions), hold: Hold::Ours } if steps => {
                self.held = Some(Claim { generation: joined.generation, partitions });
                self.state = State::Unjoined { join_at: self.now.mono, reason };
            }
            State::Stable { joined, share, hold: Hold::Ours } if !share.is_nothing() => {
                self.revoke(joined, share, None, reason);
            }
            giving_up @ State::GivingUp { .. } => self.state = giving_up,
            _ => self.state = State::Unjoined { join_at: self.now.mono, reason },
        }
    }

    /// Whether the member goes on with its share while it joins again: it joined with cooperative protocols alone, and
    /// would again.
    fn hands_over_in_steps(&self) -> bool {
        [&self.offered, &self.offers].into_iter().all(|offers| negotiate::are_cooperative(offers))
    }

    /// The application has finished. Word of an earlier generation means nothing: that share was told as lost since.
    pub(super) fn given_up(&mut self, generation: Generation) {
        if self.finishing && self.held.as_ref().is_some_and(|held| held.generation == generation) {
            self.held = None;
            self.finishing = false;
            return;
        }
        if !matches!(&self.state, State::GivingUp { told, .. } if *told == generation) {
            return;
        }
        let State::GivingUp { joined, keeps, reason, .. } = std::mem::replace(&mut self.state, State::Over) else {
            return;
        };
        match keeps {
            None => self.state = State::Unjoined { join_at: self.now.mono, reason },
            Some(keeps) if self.wish == Wish::Out => self.give_up_rest(joined, keeps),
            Some(keeps) => {
                self.state = State::Stable { joined, share: Share::Partitions(keeps.share), hold: Hold::Ours };
                self.tell_assigned();
                self.give_up(reason);
            }
        }
    }

    /// A new share, whose generation is the member's: what it had beyond it is given up first, and joining again without
    /// that lets others have it.
    pub(super) fn hand_over(&mut self, joined: Joined, share: Share) {
        let (held, brought) = (self.held.take(), std::mem::take(&mut self.brought));
        if let (true, Some(held)) = (std::mem::take(&mut self.finishing), &held) {
            // It was asked for before the new share came, and nothing of that is begun.
            let (share, told) = (Share::Partitions(held.partitions.clone()), held.generation);
            let reason = Cause::Start.because("it had drained");
            self.state = State::GivingUp { joined, share, told, keeps: None, reason };
            return;
        }
        let partitions = match &share {
            Share::Partitions(partitions) if !without(&brought, partitions).is_empty() => partitions.clone(),
            _ => {
                self.state = State::Stable { joined, share, hold: Hold::Ours };
                return self.tell_assigned();
            }
        };
        let reason = has_given_up();
        let over = held.as_ref().map(|held| without(&held.partitions, &partitions)).unwrap_or_default();
        if over.is_empty() {
            self.state = State::Stable { joined, share, hold: Hold::Ours };
            self.tell_assigned();
            return self.give_up(reason);
        }
        let held = held.map(|held| without(&held.partitions, &over)).unwrap_or_default();
        self.revoke(joined, Share::Partitions(over), Some(Keeps { share: partitions, held }), reason);
    }

    /// Asks the application for a share of that generation, and waits for it.
    pub(super) fn revoke(&mut self, joined: Joined, share: Share, keeps: Option<Keeps>, reason: Why) {
        let told = joined.generation;
        self.tell(Notice::Revoke { generation: told, share: share.clone() });
        self.state = State::GivingUp { joined, share, told, keeps, reason };
    }

    /// The coordinator answers a heartbeat of the generation that was in doubt. That proves nothing: one that is still reading
    /// the group says the same to everybody (coordinator.md 5), also to a member that it gave up before it went down. Who gets
    /// its state again is in, and has its share without a rebalance.
    pub(super) fn ask_again(&mut self) {
        if !matches!(self.state, State::Stable { hold: Hold::InDoubt, .. }) {
            return;
        }
        let State::Stable { mut joined, .. } = std::mem::replace(&mut self.state, State::Over) else { return };
        // The plan was remembered when it was accepted.
        joined.basis.plan = None;
        self.bring(joined, Vec::new(), None);
    }

    /// What the member says that it owns in the JoinGroup to come: nothing, unless it hands over in steps.
    pub(super) fn bring_held(&mut self) -> Mode {
        let mode = if negotiate::are_cooperative(&self.offers) { Mode::Cooperative } else { Mode::Eager };
        if mode == Mode::Eager {
            // It could not give it up in order any more: it is about to join.
            self.lose_share("the member offers protocols now under which all work is given up");
        }
        self.brought = self.held.as_ref().map(|held| held.partitions.clone()).unwrap_or_default();
        mode
    }

    /// The generation is over without a chance to finish: join again.
    pub(super) fn lose_generation(&mut self, reason: &str, id: Id) {
        self.lose_share(reason);
        if id == Id::Forgotten {
            self.member = MemberId::default();
        }
        self.join_soon(Cause::Lost.because(reason));
    }

    /// Out of a generation, and back at once, unless that was so just before.
    pub(super) fn join_soon(&mut self, reason: Why) {
        let wait = self.join_backoff.hurry(&mut self.dice);
        self.wait_to_join(wait, reason);
    }

    /// Whatever the member holds may be another's now.
    pub(super) fn lose_share(&mut self, reason: &str) {
        let held = self.held.take().map(|held| Share::Partitions(held.partitions));
        self.finishing = false;
        let share = match &self.state {
            State::Stable { share, hold: Hold::Ours, .. } => Some(share.clone()),
            State::GivingUp { share, keeps, .. } => Some(with(share, keeps.as_ref().map(|keeps| &keeps.held))),
            _ => held,
        };
        if let Some(share) = share.filter(|share| !share.is_nothing()) {
            self.tell(Notice::Lost { share, reason: reason.to_owned() });
        }
    }

    /// Whether the application works on something.
    pub(super) fn holds(&self) -> bool {
        self.held.is_some() || matches!(self.state, State::Stable { hold: Hold::Ours, .. } | State::GivingUp { .. })
    }

    /// The coordinator was silent for a whole session, or waited for the member for a whole rebalance: it may have
    /// given the share away. If it hands it out again after all, the share is the member's, without a rebalance.
    pub(super) fn doubt(&mut self) {
        let reason =
            "the coordinator may have given it to others: for too long it has confirmed nothing, or waited in vain";
        self.lose_share(reason);
        match &mut self.state {
            State::Stable { hold, .. } => *hold = Hold::InDoubt,
            State::GivingUp { .. } => {
                self.state = State::Unjoined { join_at: self.now.mono, reason: Cause::Lost.because(reason) }
            }
            _ => {}
        }
    }
}

fn has_given_up() -> Why {
    Cause::Step.because("it has given up what others are to have")
}

/// The partitions that are not among others; both in the order of a share.
fn without(all: &Partitions, others: &Partitions) -> Partitions {
    let left = all.iter().filter_map(|(topic, numbers)| {
        let mut gone: Vec<i32> =
            others.iter().filter(|(other, _)| other == topic).flat_map(|(_, numbers)| numbers).copied().collect();
        gone.sort_unstable();
        let left: Vec<i32> = numbers.iter().copied().filter(|number| gone.binary_search(number).is_err()).collect();
        (!left.is_empty()).then(|| (topic.clone(), left))
    });
    left.collect()
}

/// A share and more partitions.
fn with(share: &Share, more: Option<&Partitions>) -> Share {
    let (Share::Partitions(partitions), Some(more)) = (share, more) else { return share.clone() };
    let mut all = std::collections::BTreeMap::<_, Vec<i32>>::new();
    partitions.iter().chain(more).for_each(|(topic, numbers)| all.entry(topic).or_default().extend(numbers));
    Share::Partitions(
        all.into_iter()
            .map(|(topic, mut numbers)| {
                numbers.sort_unstable();
                (topic.clone(), numbers)
            })
            .collect(),
    )
}
