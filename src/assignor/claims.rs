//! Claims and holds: what members had last, so that every strategy can be sticky without reading anybody's metadata, and
//! what they may still be running, so that nothing is given to two.
//!
//! A member's claim is its subscription's owned partitions; if it names none, what its user data says. The highest
//! generation wins; claims of equal generation are void, for both; topics that do not exist or that the member no longer
//! reads and partitions out of range do not count. With several copies a partition has up to eight claimants, those of the
//! highest generation first.
//!
//! A hold is what the subscription itself says, whether or not the member still reads the topic. Here too the highest
//! generation counts: nobody was given a partition while another ran it, so an older claim is of what was given up since.
//! Of equal ones all count: void for stickiness is not safe to give away. With several copies all claims count: a member
//! that missed a rebalance goes on beside one that got its copy there.

use divvy_guest::abi::{MAX_CLAIM_LAYERS, Width};

use super::owners::{NOBODY, Owners, write_map};
use super::view::{Hint, View};
use crate::embedded::consumer::{Owned, Tail};
use crate::embedded::sticky::StickyData;

#[cfg(test)]
mod tests;

/// What a member says it had.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim<'a> {
    pub generation: i32,
    pub owned: Owned<'a>,
}

/// The one last owner of each partition, as an owner map; no bytes when nobody claims anything.
pub(super) fn of_one(view: &View<'_>, claims: &[Claim<'_>]) -> Vec<u8> {
    Holds::settle(view, claims, Topics::Read, true).0.claims(view)
}

/// The same, and who may still be running what: mostly one look at the members' claims says both.
pub(super) fn with_holds(view: &View<'_>, claims: &[Claim<'_>]) -> (Vec<u8>, Holds) {
    let said: Vec<Claim<'_>> = view.members.iter().map(|member| owned_by(&member.tail)).collect();
    let (holds, all_read) = Holds::settle(view, &said, Topics::All, true);
    let are_same = |(claim, said): (&Claim<'_>, &Claim<'_>)| claim.owned.is_empty() == said.owned.is_empty();
    let map = match all_read && claims.iter().zip(&said).all(are_same) {
        true => holds.claims(view),
        false => of_one(view, claims),
    };
    (map, holds)
}

/// The last owners of each partition of a redundant plan, as so many owner maps as are needed.
pub(super) fn of_many(view: &View<'_>, claims: &[Claim<'_>]) -> Vec<u8> {
    let mut generations = claims.iter().filter(|claim| !claim.owned.is_empty()).map(|claim| claim.generation);
    match generations.next() {
        Some(one) if generations.all(|generation| generation == one) => of_equals(view, claims),
        Some(_) => of_generations(view, claims),
        None => Vec::new(),
    }
}

/// The same where all claims are of one generation, as they mostly are: members come in order, so that nothing is sorted.
fn of_equals(view: &View<'_>, claims: &[Claim<'_>]) -> Vec<u8> {
    // By partition how many claimants came by, and the last of them: one member that claims it twice has one claim.
    let mut came = vec![(0_u32, NOBODY); view.partitions];
    let mut deepest = 0;
    each(view, claims, Topics::Read, |partition, member, _| {
        let (count, last) = &mut came[partition];
        if *last != member {
            (*count, *last) = (*count + 1, member);
            deepest = deepest.max(*count);
        }
    });
    if deepest == 0 {
        return Vec::new();
    }
    let mut owners = Owners::nobody(view.partitions, deepest.min(MAX_CLAIM_LAYERS as u32) as u16);
    came.fill((0, NOBODY));
    each(view, claims, Topics::Read, |partition, member, _| {
        let (count, last) = &mut came[partition];
        if *last != member {
            if let Some(layer) = owners.of_mut(partition).get_mut(*count as usize) {
                *layer = member;
            }
            (*count, *last) = (*count + 1, member);
        }
    });
    owners.write(Width::of(view.members.len()))
}

/// And where the newest come first.
fn of_generations(view: &View<'_>, claims: &[Claim<'_>]) -> Vec<u8> {
    let mut all = Vec::new();
    each(view, claims, Topics::Read, |partition, member, generation| {
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

/// Who may still be running each partition.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Holds {
    /// By dense index one holder; no entries when nobody holds anything.
    first: Vec<u32>,
    /// Partition and member of all further ones, sorted.
    others: Vec<(u32, u32)>,
}

impl Holds {
    /// What the members' subscriptions say, for a plan of so many copies.
    pub fn of(view: &View<'_>, copies: usize) -> Self {
        let claims: Vec<Claim<'_>> = view.members.iter().map(|member| owned_by(&member.tail)).collect();
        Self::settle(view, &claims, Topics::All, copies == 1).0
    }

    /// By partition the claimants of the highest generation, or all if generations do not count; and whether everybody reads
    /// what it claims.
    fn settle(view: &View<'_>, claims: &[Claim<'_>], topics: Topics, by_generation: bool) -> (Self, bool) {
        let mut generations = claims.iter().filter(|claim| !claim.owned.is_empty()).map(|claim| claim.generation);
        let Some(one) = generations.next() else { return (Self::default(), true) };
        let mut first = vec![NOBODY; view.partitions];
        let mut others = Vec::new();
        // Mostly all have been in the last generation, and a claim is one look at one place.
        if !by_generation || generations.all(|generation| generation == one) {
            let all_read = each(view, claims, topics, |partition, member, _| {
                let holder = &mut first[partition];
                if *holder == NOBODY {
                    *holder = member;
                } else if *holder != member {
                    others.push((partition as u32, member));
                }
            });
            others.sort_unstable();
            others.dedup();
            return (Self { first, others }, all_read);
        }
        let mut newest = vec![i32::MIN; view.partitions];
        let mut rivals = Vec::new();
        let all_read = each(view, claims, topics, |partition, member, generation| {
            if generation > newest[partition] || first[partition] == NOBODY {
                newest[partition] = generation;
                first[partition] = member;
            } else if generation == newest[partition] && first[partition] != member {
                rivals.push((partition as u32, generation, member));
            }
        });
        rivals.retain(|&(partition, generation, _)| generation == newest[partition as usize]);
        others.extend(rivals.into_iter().map(|(partition, _, member)| (partition, member)));
        others.sort_unstable();
        others.dedup();
        (Self { first, others }, all_read)
    }

    /// The one last owner of each partition, as an owner map: where several hold it, nobody had it.
    pub fn claims(&self, view: &View<'_>) -> Vec<u8> {
        let width = Width::of(view.members.len());
        let mut map = write_map(&self.first, width);
        self.others.iter().for_each(|&(partition, _)| width.set(&mut map, partition as usize, None));
        map
    }

    /// Whether each of these only owners holds its partition, or nobody does, and no partition has several holders: one look
    /// at both, where a look for the one that breaks the rule is several.
    pub fn allow(&self, owners: &[u32]) -> bool {
        let keeps = |(owner, holder): (&u32, &u32)| *owner == NOBODY || *holder == NOBODY || owner == holder;
        self.others.is_empty() && owners.iter().zip(&self.first).all(keeps)
    }

    /// By dense index one holder, or nobody; no entries when nobody holds anything.
    pub fn firsts(&self) -> &[u32] {
        &self.first
    }

    /// Nobody holds anything.
    pub fn are_none(&self) -> bool {
        self.first.is_empty()
    }

    /// One holder of a partition, or nobody.
    pub fn first(&self, partition: usize) -> u32 {
        self.first.get(partition).copied().unwrap_or(NOBODY)
    }

    /// Partition and member of all holders but the first of each.
    pub fn others(&self) -> &[(u32, u32)] {
        &self.others
    }

    /// All holders of a partition.
    pub fn of_partition(&self, partition: usize) -> impl Iterator<Item = u32> {
        let start = self.others.partition_point(|other| other.0 < partition as u32);
        let others = self.others[start..].iter().take_while(move |other| other.0 == partition as u32);
        Some(self.first(partition)).filter(|holder| *holder != NOBODY).into_iter().chain(others.map(|other| other.1))
    }
}

/// What a subscription says that its member owns. A generation that it has no place for, or leaves out, may stand in the
/// user data of Kafka's strategies.
pub(super) fn owned_by<'t>(tail: &'t Tail<'_>) -> Claim<'t> {
    let elsewhere = || StickyData::decode(tail.user_data?).ok();
    let generation = match tail.generation {
        -1 if !tail.owned.is_empty() => elsewhere().map_or(-1, |data| data.generation),
        generation => generation,
    };
    Claim { generation, owned: tail.owned.clone() }
}

/// Which topics count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topics {
    /// Those that the member reads.
    Read,
    /// All that anybody reads.
    All,
}

/// Calls with dense index, member and generation of each claim that counts. Says whether every member reads what it claims.
fn each(view: &View<'_>, claims: &[Claim<'_>], topics: Topics, mut found: impl FnMut(usize, u32, i32)) -> bool {
    let mut all_read = true;
    for (index, (member, claim)) in view.members.iter().zip(claims).enumerate() {
        let set = &view.sets[member.set as usize];
        let mut hint = Hint::default();
        for (name, numbers) in claim.owned.encoded() {
            let Some(topic_index) = view.topic(name, &mut hint) else { continue };
            let reads = set.contains(topic_index as u32);
            all_read &= reads;
            if !reads && topics == Topics::Read {
                continue;
            }
            let topic = &view.topics[topic_index];
            // A number below 0 is a large one here.
            for number in numbers.as_chunks().0.iter().map(|number| u32::from_be_bytes(*number)) {
                if number < topic.partitions {
                    found((topic.base + number) as usize, index as u32, claim.generation);
                }
            }
        }
    }
    all_read
}
