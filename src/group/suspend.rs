//! Suspensions: a module that failed is passed over by the vote for a while, and longer each time. It is itself under
//! whatever name it serves, its own or an alias: what counts is its digest.

use crate::ids::{Digest, Protocol};
use crate::time::WallTime;

use super::event::Fault;
use super::limits::{FIRST_SUSPENSION, LONGEST_SUSPENSION, MAX_FAULT_TEXT_BYTES, MAX_SUSPENSIONS};
use super::state::State;
use super::trigger::Trigger;
use super::vote::Offers;
use super::{Fact, Group, Record, Step, Suspension};

/// Kinds of faults that say nothing of the module: its leader was too busy, did not have it, had other settings, or did not
/// call it since it is passed over.
const BLAMELESS: [&str; 4] = [BUSY, "missing", "settings", PASSED_OVER];

/// That there was no place for the call, which may be free a moment later.
pub(super) const BUSY: &str = "busy";

/// The kind of a fault that none is: the module was not called.
pub(super) const PASSED_OVER: &str = "suspended";

/// As of then every suspension counts, also one that has ended.
pub(super) const ALL_COUNT: WallTime = WallTime(i64::MIN);

/// Whether the module was only not called in time.
pub(super) fn is_busy(fault: &Fault) -> bool {
    fault.kind == BUSY
}

/// Whether a suspension is of that module; without a digest the name counts.
fn is_of(it: &Suspension, protocol: &Protocol, digest: Option<Digest>) -> bool {
    it.digest == digest && (digest.is_some() || it.protocol == *protocol)
}

impl Group {
    /// Passes the failed module over: 1 minute at first, doubling to 1 hour. A module that its leader could not call is not
    /// to blame, and a leader speaks only for the protocol that it was asked to serve: then nothing is passed over.
    pub(super) fn suspend(&mut self, fault: &Fault, step: &mut Step) -> bool {
        if BLAMELESS.contains(&fault.kind.as_str()) || self.protocol.as_ref() != Some(&fault.protocol) {
            return false;
        }
        let same = |it: &Suspension| is_of(it, &fault.protocol, fault.digest);
        let before = self.suspensions.iter().find(|it| same(it)).map_or(0, |it| it.failures);
        let lasting = (FIRST_SUSPENSION * 2u32.pow(before.min(16))).min(LONGEST_SUSPENSION);
        let for_ms = u64::try_from(lasting.as_millis()).unwrap_or(u64::MAX);
        let suspension = Suspension {
            protocol: fault.protocol.clone(),
            digest: fault.digest,
            until: WallTime(step.now.wall.0.saturating_add_unsigned(for_ms)),
            failures: before + 1,
            reason: format!("{}: {}", fault.kind, fault.message),
        };
        self.suspensions.retain(|it| !same(it));
        self.suspensions.push(suspension.clone());
        if self.suspensions.len() > MAX_SUSPENSIONS {
            self.suspensions.remove(0);
        }
        self.judged_at = self.judged_after_failure(step.now.wall);
        step.fact(Fact::Suspended { suspension, for_ms });
        let record = Record::Suspensions(self.suspensions.clone());
        self.emit(record, step);
        true
    }

    /// What takes over now is what has not failed: of several broken versions each would be a rebalance. Where there is no such
    /// thing, it is what may be asked again by now, each once: what fails then is passed over as of now, too. Else a fall-back
    /// would serve for as long as the first of them is broken, whatever has become of the others.
    fn judged_after_failure(&self, now: WallTime) -> WallTime {
        let winner = self.vote(Offers::AsAnnounced, self.protocol.as_ref(), ALL_COUNT);
        let all_failed = winner.is_some_and(|winner| self.is_suspended(&winner, ALL_COUNT));
        if all_failed { now } else { ALL_COUNT }
    }

    /// The module made a plan that was accepted: its failures do not count any more.
    pub(super) fn rehabilitate(&mut self, digest: Option<Digest>, step: &mut Step) {
        let before = self.suspensions.len();
        let protocol = self.protocol.clone().unwrap_or_default();
        self.suspensions.retain(|it| !is_of(it, &protocol, digest));
        if self.suspensions.len() < before {
            let record = Record::Suspensions(self.suspensions.clone());
            self.emit(record, step);
        }
    }

    /// What the vote passes over now.
    pub(super) fn suspended(&self, now: WallTime) -> Vec<Suspension> {
        self.suspensions.iter().filter(|it| now < it.until).cloned().collect()
    }

    /// As of when suspensions are shown of the generation there is, or of the one that is to come: also those whose time is over
    /// by now, as long as what serves was chosen without them. Of a plan in force it is what a restart still knows.
    pub(super) fn passing_over_as_of(&self, now: WallTime) -> WallTime {
        match &self.state {
            State::Stable(_) => self.since.min(now),
            State::Empty => now,
            State::Joining(joining) if !matches!(joining.trigger, Trigger::Suspended(_)) => now,
            _ => self.judged_at,
        }
    }

    /// Whether the vote passes the protocol over. A member with another module under the name lifts it.
    pub(super) fn is_suspended(&self, protocol: &Protocol, now: WallTime) -> bool {
        if self.active(now).next().is_none() || (self.is_led() && self.is_served_natively(protocol)) {
            return false;
        }
        let digests = self.digests(protocol);
        if digests.is_empty() {
            // Without a module at hand only the name can count: a module that failed under it is not here, nor is its failure.
            return self.active(now).any(|it| it.digest.is_none() && it.protocol == *protocol);
        }
        digests.iter().all(|digest| self.is_digest_suspended(Some(protocol), *digest, now))
    }

    /// Whether just this module is passed over.
    pub(super) fn is_digest_suspended(&self, protocol: Option<&Protocol>, digest: Digest, now: WallTime) -> bool {
        self.active(now).any(|it| it.digest.map_or(Some(&it.protocol) == protocol, |is| is == digest))
    }

    fn active(&self, now: WallTime) -> impl Iterator<Item = &Suspension> {
        self.suspensions.iter().filter(move |it| now < it.until)
    }
}

/// What a peer says of a failure, cut to what may be stored and shown.
pub(super) fn cut(mut fault: Fault) -> Fault {
    for text in [&mut fault.message, &mut fault.kind] {
        text.truncate(text.floor_char_boundary(MAX_FAULT_TEXT_BYTES));
    }
    fault
}
