//! Claims: what members had last, so that every strategy can be sticky without reading anybody's metadata.
//!
//! A member's claim is its subscription's owned partitions; if it names none, what divvy's user data says. The highest
//! generation wins; claims of equal generation are void, for both; topics that do not exist or that the member no longer
//! reads and partitions out of range do not count. With several copies a partition has up to eight claimants, those of the
//! highest generation first.

use std::borrow::Cow;

use divvy_guest::abi::{MAX_CLAIM_LAYERS, Width};

use super::owners::{NOBODY, Owners};
use super::view::View;
use crate::embedded::consumer::TopicPartitions;

#[cfg(test)]
mod tests;

/// What a member says it had.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim<'a> {
    pub generation: i32,
    pub owned: Cow<'a, [TopicPartitions<'a>]>,
}

/// The one last owner of each partition, as an owner map; no bytes when nobody claims anything.
pub(super) fn of_one(view: &View<'_>, claims: &[Claim<'_>]) -> Vec<u8> {
    if claims.iter().all(|claim| claim.owned.is_empty()) {
        return Vec::new();
    }
    let mut owners = Owners::nobody(view.partitions, 1);
    let mut newest = vec![i32::MIN; view.partitions];
    each(view, claims, |partition, member, generation| {
        let owner = &mut owners.of_mut(partition)[0];
        if generation > newest[partition] {
            newest[partition] = generation;
            *owner = member;
        } else if generation == newest[partition] && *owner != member {
            *owner = NOBODY;
        }
    });
    owners.write(Width::of(view.members.len()))
}

/// The last owners of each partition of a redundant plan, as so many owner maps as are needed.
pub(super) fn of_many(view: &View<'_>, claims: &[Claim<'_>]) -> Vec<u8> {
    let mut all = Vec::new();
    each(view, claims, |partition, member, generation| {
        all.push((partition as u32, std::cmp::Reverse(generation), member));
    });
    all.sort_unstable();
    // One member that claims a partition twice has one claim.
    all.dedup_by_key(|(partition, _, member)| (*partition, *member));
    let ranked = || {
        let by_partition = all.chunk_by(|a, b| a.0 == b.0);
        by_partition.flat_map(|claimants| claimants.iter().enumerate().take(MAX_CLAIM_LAYERS))
    };
    let Some(deepest) = ranked().map(|(layer, _)| layer).max() else { return Vec::new() };
    let mut owners = Owners::nobody(view.partitions, deepest as u16 + 1);
    ranked().for_each(|(layer, &(partition, _, member))| owners.of_mut(partition as usize)[layer] = member);
    owners.write(Width::of(view.members.len()))
}

/// Calls with dense index, member and generation of each claim that counts.
fn each(view: &View<'_>, claims: &[Claim<'_>], mut found: impl FnMut(usize, u32, i32)) {
    for (index, (member, claim)) in view.members.iter().zip(claims).enumerate() {
        let set = &view.sets[member.set as usize];
        let mut hint = 0;
        for owned in claim.owned.iter() {
            let Some(topic_index) = view.topic(owned.topic, &mut hint).filter(|&topic| set.contains(topic as u32))
            else {
                continue;
            };
            let topic = &view.topics[topic_index];
            for partition in owned.partitions.iter() {
                if let Ok(partition) = u32::try_from(partition)
                    && partition < topic.partitions
                {
                    found((topic.base + partition) as usize, index as u32, claim.generation);
                }
            }
        }
    }
}
