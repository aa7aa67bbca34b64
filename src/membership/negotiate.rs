//! What a member offers, and in which order (DESIGN 7.1): the modules that its settings name, else those with
//! `offer = default` by rank; of one name the newest version first; for consumer groups the host's own `range` last.
//!
//! A member offers [`MAX_OFFERS`] protocols at most. Of more, the first ones in that order are offered, `range` keeps the last
//! place where it is added, and the application is told which are left out.
//!
//! A member hands over step by step only if every protocol that it offers is cooperative (DESIGN 6.4), so where its settings
//! name none but such ones, `range` is not added.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use super::config::CONSUMER;
use super::limits::MAX_OFFERS;
use crate::assignor::manifest::{Mode, Offer as Offering};
use crate::assignor::{Assignor, Manifest};
use crate::ids::{Digest, Protocol, ProtocolType};

pub use crate::assignor::NATIVE;

/// One entry of GroupProtocols: a protocol, and the module that serves it here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// Its name on the wire.
    pub protocol: Protocol,
    /// What the module is; none for the host's own range.
    pub digest: Option<Digest>,
    /// How members hand over under that name.
    pub mode: Mode,
}

/// Who wishes what: names come first in the order of the lists, then, if the member's own list is empty, the defaults.
#[derive(Clone, Copy, Debug)]
pub struct Wishes<'a> {
    /// The operator's, from the coordinator: they come before everything (DESIGN 7.6).
    pub operator: &'a [String],
    /// The member's own.
    pub member: &'a [String],
}

/// The strategies at hand, in no particular order.
#[derive(Clone)]
pub struct Strategies(Arc<[Arc<dyn Assignor>]>);

impl Strategies {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Assignor> {
        self.0.iter().map(|it| &**it)
    }

    /// The one that serves a protocol: of several versions under one of Kafka's plain names the newest.
    pub fn find(&self, protocol: &Protocol) -> Option<&dyn Assignor> {
        self.iter().filter(|it| it.manifest().protocol() == *protocol).max_by_key(|it| it.manifest().version)
    }

    /// The newest version of that name, or `name@version`, that serves that type.
    pub fn called(&self, name: &str, protocol_type: &str) -> Option<&dyn Assignor> {
        let fits = |it: &&dyn Assignor| it.manifest().is_called(name) && it.manifest().protocol_type == protocol_type;
        self.iter().filter(fits).max_by_key(|it| it.manifest().version)
    }
}

impl FromIterator<Arc<dyn Assignor>> for Strategies {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Assignor>>>(strategies: I) -> Self {
        Self(strategies.into_iter().collect())
    }
}

impl fmt::Debug for Strategies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|it| it.manifest().protocol())).finish()
    }
}

/// What a member offers, and what it would offer if there were room.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// Most wanted first.
    pub offers: Vec<Offer>,
    /// The same.
    pub left_out: Vec<Protocol>,
}

/// The offers of a member of that type.
pub fn offers(strategies: &Strategies, protocol_type: &ProtocolType, wishes: Wishes<'_>) -> Choice {
    let mut able: Vec<&dyn Assignor> = strategies.iter().filter(|it| serves(it.manifest(), protocol_type)).collect();
    able.sort_by(|a, b| order(a.manifest()).cmp(&order(b.manifest())));
    let mut offers = Vec::new();
    for wanted in wishes.operator.iter().chain(wishes.member) {
        able.iter().filter(|it| it.manifest().is_called(wanted)).for_each(|it| add(&mut offers, *it));
    }
    if wishes.member.is_empty() {
        able.iter().filter(|it| it.manifest().offer == Offering::Default).for_each(|it| add(&mut offers, *it));
    }
    let is_cooperative = !wishes.member.is_empty() && are_cooperative(&offers);
    if *protocol_type == CONSUMER && !is_cooperative {
        // A member without modules can still join, and unmodified clients share a protocol with it.
        let is_there = offers.iter().take(MAX_OFFERS).any(|offer| offer.protocol == NATIVE);
        if !is_there {
            let late = offers.iter().position(|offer| offer.protocol == NATIVE).map(|at| offers.remove(at));
            let native = || Offer { protocol: Protocol::from(NATIVE), digest: None, mode: Mode::Eager };
            offers.insert(offers.len().min(MAX_OFFERS - 1), late.unwrap_or_else(native));
        }
    }
    let left_out = offers.split_off(offers.len().min(MAX_OFFERS));
    Choice { offers, left_out: left_out.into_iter().map(|offer| offer.protocol).collect() }
}

/// Whether a member of that type with these wishes offers a strategy if it has it, and unless others take all the room.
pub fn would_offer(manifest: &Manifest, protocol_type: &ProtocolType, wishes: &[String]) -> bool {
    let is_wished = || wishes.iter().any(|wanted| manifest.is_called(wanted));
    let is_wanted = if wishes.is_empty() { manifest.offer == Offering::Default } else { is_wished() };
    serves(manifest, protocol_type) && is_wanted
}

/// Whether who offers these hands over step by step.
pub(super) fn are_cooperative(offers: &[Offer]) -> bool {
    !offers.is_empty() && offers.iter().all(|it| it.mode == Mode::Cooperative)
}

fn serves(manifest: &Manifest, protocol_type: &ProtocolType) -> bool {
    manifest.protocol_type == protocol_type.as_str()
}

/// By rank, ties by name, newest first: never by the time of a file.
fn order(manifest: &Manifest) -> impl Ord + '_ {
    (Reverse(manifest.rank), manifest.name.as_str(), Reverse(manifest.version))
}

fn add(offers: &mut Vec<Offer>, strategy: &dyn Assignor) {
    let protocol = strategy.manifest().protocol();
    if !offers.iter().any(|offer| offer.protocol == protocol) {
        let mode = strategy.manifest().mode_under(&protocol, None);
        offers.push(Offer { protocol, digest: strategy.digest(), mode });
    }
}
