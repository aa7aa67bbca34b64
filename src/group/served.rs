//! What serves a protocol where the coordinator leads: its alias's module, the newest that is not passed over, else the
//! host's own range; and what it was, for people.

use crate::ids::{Digest, Protocol};
use crate::time::WallTime;

use super::Group;
use super::describe::LedDescription;
use super::event::{Fault, ModuleOffer};
use super::suspend::PASSED_OVER;
use super::trigger::{GroundChange, Trigger};

/// The strategy that the host has built in, and the one type of groups that it serves.
const NATIVE: (&str, &str) = ("range", "consumer");

impl Group {
    pub(super) fn is_of_consumers(&self) -> bool {
        self.protocol_type.as_ref().is_none_or(|kind| *kind == NATIVE.1)
    }

    /// Whether there is a module for a protocol that every member offers.
    pub(super) fn has_module_for_all(&self) -> bool {
        let mut members = self.roster.members.values();
        let Some(first) = members.next() else { return false };
        let has_module = |name: &&Protocol| self.own_modules(name).next().is_some();
        let mut served = first.protocols.iter().map(|offered| &offered.name).filter(has_module);
        served.any(|name| members.clone().all(|it| it.protocols.iter().any(|offered| offered.name == *name)))
    }

    /// The name of what serves a protocol: its alias's, else its own.
    pub(super) fn name_behind<'a>(&'a self, protocol: &'a Protocol) -> &'a str {
        self.settings.alias(protocol).map_or(protocol.as_str(), |alias| alias.assignor.as_str())
    }

    /// The coordinator's modules for a protocol: one, or every version of a name that bears none.
    pub(super) fn own_modules<'a>(&'a self, protocol: &'a Protocol) -> impl Iterator<Item = &'a ModuleOffer> {
        let name = self.name_behind(protocol);
        self.led.modules.iter().filter(move |module| {
            let rest = module.protocol.as_str().strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
        })
    }

    /// The one that serves: the newest that is not passed over; if all are, the newest, which is called only where nobody can
    /// do without it.
    pub(super) fn own_module<'a>(&'a self, protocol: &'a Protocol, now: WallTime) -> Option<&'a ModuleOffer> {
        let healthy = |module: &&ModuleOffer| !self.is_digest_suspended(Some(protocol), module.digest, now);
        self.own_modules(protocol).find(healthy).or_else(|| self.own_modules(protocol).next())
    }

    /// What they are.
    pub(super) fn own_digests(&self, protocol: &Protocol) -> Vec<Digest> {
        self.own_modules(protocol).map(|module| module.digest).collect()
    }

    /// Whether the host's own range serves the protocol, for want of a module.
    pub(super) fn is_served_natively(&self, protocol: &Protocol) -> bool {
        let is_consumer = self.protocol_type.as_ref().is_some_and(|kind| *kind == NATIVE.1);
        is_consumer && self.name_behind(protocol) == NATIVE.0 && self.own_modules(protocol).next().is_none()
    }

    /// Of the protocols that all members support, those that can win: what the coordinator can serve comes before what
    /// is healthy, since a plan under any other name is a fall-back's.
    pub(super) fn served_first<'a>(&self, common: Vec<&'a Protocol>, healthy: Vec<&'a Protocol>) -> Vec<&'a Protocol> {
        let served = |all: &[&'a Protocol]| -> Vec<&'a Protocol> {
            let serves = |name: &&&Protocol| self.own_modules(name).next().is_some() || self.is_served_natively(name);
            all.iter().filter(serves).copied().collect()
        };
        let choices = [served(&healthy), served(&common), healthy, common];
        choices.into_iter().find(|choice| !choice.is_empty()).unwrap_or_default()
    }

    /// The candidate behind which the operator's wish serves, where the coordinator leads.
    pub(super) fn wished_by_alias<'a>(&self, wish: &str, candidates: &[&'a Protocol]) -> Option<&'a Protocol> {
        let means =
            |assignor: &str| assignor == wish || assignor.strip_prefix(wish).is_some_and(|rest| rest.starts_with('@'));
        let serves =
            |name: &&Protocol| self.is_led() && self.settings.alias(name).is_some_and(|it| means(&it.assignor));
        candidates.iter().copied().find(serves)
    }

    /// Whether an older version could serve in place of the one that failed.
    pub(super) fn better_module_at_hand(&self, present: &Protocol) -> Option<Trigger> {
        let at = self.judged_at;
        let made_by = self.plan.as_ref().filter(|plan| plan.generation == self.generation)?.digest;
        let serves = self.own_module(present, at)?;
        let is_passed_over = |module: &ModuleOffer| self.is_digest_suspended(Some(present), module.digest, at);
        let has_failed = self.own_modules(present).any(is_passed_over)
            || self.suspended(at).iter().any(|it| it.protocol == *present);
        let another = Some(serves.digest) != made_by && !is_passed_over(serves);
        // The newest comes first: what stands before all that failed would have served, had it been there.
        let takes_over = self.own_modules(present).take_while(|it| it.digest != serves.digest).any(is_passed_over);
        (has_failed && another).then(|| {
            let present = present.clone();
            if takes_over { Trigger::Suspended(present) } else { Trigger::GroundChanged(GroundChange::Module(present)) }
        })
    }

    /// A failure in words: what should have served is named by its own name.
    pub(super) fn told_of(&self, fault: &Fault) -> String {
        if fault.kind == "missing" {
            return fault.message.clone();
        }
        let module = fault.digest.and_then(|digest| self.led.modules.iter().find(|module| module.digest == digest));
        let behind = if self.is_led_now() { self.name_behind(&fault.protocol) } else { fault.protocol.as_str() };
        let name = module.map_or(behind, |module| module.protocol.as_str());
        if fault.kind == PASSED_OVER {
            return format!("{name} failed: {}", fault.message);
        }
        format!("{name} failed: {}: {}", fault.kind, fault.message)
    }

    /// How the coordinator leads, for people: with what made the plan in force, or makes the one that is to come.
    pub(super) fn describe_led(&self) -> Option<LedDescription> {
        let protocol = self.protocol.as_ref().filter(|_| self.is_led_now())?;
        let wanted = self.name_behind(protocol);
        let (assignor, digest) = match self.plan.as_ref().filter(|plan| plan.generation == self.generation) {
            Some(plan) => {
                let made_by = |module: &&ModuleOffer| plan.digest == Some(module.digest);
                let module = self.led.modules.iter().find(made_by).map(|module| module.protocol.clone());
                (module.or_else(|| plan.digest.map(|_| Protocol::from(wanted))), plan.digest)
            }
            None => self.own_module(protocol, self.judged_at).map(|it| (it.protocol.clone(), it.digest)).unzip(),
        };
        Some(LedDescription {
            config: self.settings.config_of(assignor.as_ref().map_or(wanted, Protocol::as_str)).clone(),
            wanted: wanted.to_owned(),
            assignor,
            digest,
            trouble: None,
        })
    }
}
