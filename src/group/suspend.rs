//! Suspensions: a module that failed is passed over by the vote for a while, and longer each time.

use crate::ids::{Digest, Protocol};
use crate::time::WallTime;

use super::event::Fault;
use super::limits::{FIRST_SUSPENSION, LONGEST_SUSPENSION, MAX_FAULT_TEXT_BYTES, MAX_SUSPENSIONS};
use super::{Fact, Group, Record, Step, Suspension};

/// Kinds of faults that say nothing of the module: its leader was too busy, or did not have it.
const BLAMELESS: [&str; 2] = ["busy", "missing"];

impl Group {
    /// Passes the failed module over: 1 minute at first, doubling to 1 hour. A module that its leader could not call is not
    /// to blame.
    pub(super) fn suspend(&mut self, fault: &Fault, step: &mut Step) {
        if BLAMELESS.contains(&fault.kind.as_str()) {
            return;
        }
        let same = |it: &Suspension| it.protocol == fault.protocol && it.digest == fault.digest;
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
        step.fact(Fact::Suspended { suspension, for_ms });
        let record = Record::Suspensions(self.suspensions.clone());
        self.emit(record, step);
    }

    /// Whether the vote passes the protocol over. A member with another module under the name lifts it.
    pub(super) fn is_suspended(&self, protocol: &Protocol, now: WallTime) -> bool {
        if self.active(protocol, now).next().is_none() {
            return false;
        }
        // Without a module at hand the name alone counts.
        self.digests(protocol).iter().all(|digest| self.is_digest_suspended(Some(protocol), *digest, now))
    }

    /// Whether just this module is passed over.
    pub(super) fn is_digest_suspended(&self, protocol: Option<&Protocol>, digest: Digest, now: WallTime) -> bool {
        protocol.is_some_and(|protocol| self.active(protocol, now).any(|it| it.digest.is_none_or(|is| is == digest)))
    }

    fn active(&self, protocol: &Protocol, now: WallTime) -> impl Iterator<Item = &Suspension> {
        self.suspensions.iter().filter(move |it| it.protocol == *protocol && now < it.until)
    }
}

/// What a peer says of a failure, cut to what may be stored and shown.
pub(super) fn cut(mut fault: Fault) -> Fault {
    let cut = |text: &mut String| {
        if text.len() > MAX_FAULT_TEXT_BYTES {
            let end = (0..=MAX_FAULT_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
        }
    };
    cut(&mut fault.message);
    cut(&mut fault.kind);
    fault
}
