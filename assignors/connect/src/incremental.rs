//! Incremental cooperative rebalancing (KIP-415): workers keep what they run, are told only what is new and what to give up, and the work
//! of one that is gone waits a while for it to come back.

use std::collections::BTreeMap;

use divvy_guest::strategy::order::{Lowest, first, key, third};

use crate::catalog::Catalog;
use crate::memo::{Known, Memo, hash};

/// What workers run, and the time.
pub struct Round<'r, 'a> {
    /// Every piece of work that there is.
    pub catalog: &'r Catalog<'a>,
    /// For each worker, by id, the numbers of what it runs, ascending.
    pub running: &'r [Vec<u32>],
    /// For each worker a hash that it is known by.
    pub workers: &'r [u64],
    /// The wall clock.
    pub now_ms: i64,
    /// How long lost work waits at most (`scheduled.rebalance.max.delay.ms`).
    pub max_delay_ms: i64,
}

/// What changes for each worker.
pub struct Changes {
    /// Numbers of new work, ascending.
    pub added: Vec<Vec<u32>>,
    /// Numbers of what it gives up, ascending. What is not configured any more it gives up in any case.
    pub revoked: Vec<Vec<u32>>,
}

/// The base of the back-off between attempts to even out, in Kafka Connect too.
const BACK_OFF_BASE: i64 = 40;

impl Round<'_, '_> {
    /// Decides, and leaves in the memo what the next round has to know.
    pub fn decide(&self, memo: &mut Memo) -> Changes {
        let mut claims = vec![0_u32; self.catalog.pieces()];
        self.running.iter().flatten().for_each(|&piece| claims[piece as usize] += 1);
        let known = self.known(memo, &claims);
        let pieces = 0..self.catalog.pieces() as u32;
        let is_idle = |piece: &u32| claims[*piece as usize] == 0;
        let lost: Vec<u32> = pieces.clone().filter(is_idle).filter(|&piece| known[piece as usize]).collect();
        let mut free: Vec<u32> = pieces.filter(is_idle).filter(|&piece| !known[piece as usize]).collect();

        // Work that two run is taken from both and handed out in the next round.
        let (mut keeps, mut revoked) = (Vec::new(), Vec::new());
        for running in self.running {
            let (twice, once) = running.iter().copied().partition(|&piece| claims[piece as usize] > 1);
            keeps.push(once);
            revoked.push(twice);
        }
        let are_connectors = self.catalog.are_connectors();
        self.handle_lost(memo, &lost, &mut keeps, &mut free, &are_connectors);
        if memo.delay_ms == 0 {
            self.even_out(memo, &mut keeps, &mut revoked, &mut free, &are_connectors);
        } else {
            memo.revoked = false;
        }
        self.hand_out(free, &mut keeps, &are_connectors);

        let mut added = keeps;
        for (added, running) in added.iter_mut().zip(self.running) {
            added.sort_unstable();
            added.retain(|piece| running.binary_search(piece).is_err());
        }
        revoked.iter_mut().for_each(|revoked| revoked.sort_unstable());
        memo.workers = self.workers.to_vec();
        memo.connectors = Some(self.remember(&revoked));
        Changes { added, revoked }
    }

    /// Which pieces were somebody's to run since the last round: what was configured then and not revoked. When a revocation did not
    /// take effect, only what somebody runs.
    fn known(&self, memo: &Memo, claims: &[u32]) -> Vec<bool> {
        let mut known = vec![false; self.catalog.pieces()];
        let Some(before) = &memo.connectors else { return known };
        let by_hash = by_hash(before.iter().map(|known| known.hash));
        for &(name, tasks, first) in self.catalog.connectors() {
            let Some(&at) = by_hash.get(&hash(name)) else { continue };
            for piece in 0..=tasks.min(before[at].tasks) {
                let number = (first + piece) as usize;
                if !before[at].was_revoked(piece) {
                    known[number] = true;
                } else if claims[number] > 0 {
                    return vec![false; self.catalog.pieces()];
                }
            }
        }
        known
    }

    /// Lost work is handed out at once when nobody left, or when it is not to wait; else after the delay, and then those that came
    /// in the meantime and have nothing get it.
    fn handle_lost(
        &self,
        memo: &mut Memo,
        lost: &[u32],
        keeps: &mut [Vec<u32>],
        free: &mut Vec<u32>,
        are_connectors: &[bool],
    ) {
        let here = by_hash(self.workers.iter().copied());
        let nobody_left = || memo.workers.iter().all(|worker| here.contains_key(worker));
        if lost.is_empty() && !memo.revoked {
            reset(memo);
        } else if self.max_delay_ms == 0 || (memo.scheduled_ms <= 0 && nobody_left()) {
            free.extend(lost);
        } else if memo.scheduled_ms > 0 && self.now_ms >= memo.scheduled_ms {
            let candidates: Vec<usize> = memo.candidates.iter().filter_map(|it| here.get(it).copied()).collect();
            if candidates.is_empty() {
                free.extend(lost);
            } else {
                for kind in [true, false] {
                    let of_kind = lost.iter().filter(|&&piece| are_connectors[piece as usize] == kind);
                    of_kind.zip(candidates.iter().cycle()).for_each(|(&piece, &worker)| keeps[worker].push(piece));
                }
            }
            reset(memo);
            memo.revoked = false;
        } else {
            // Who had nothing before does not come back for anything (Connect counts it in).
            let known = by_hash(memo.candidates.iter().chain(&memo.workers).copied());
            let empty = self.workers.iter().zip(keeps.iter()).filter(|(_, keeps)| keeps.is_empty());
            memo.candidates.extend(empty.map(|(&worker, _)| worker).filter(|worker| !known.contains_key(worker)));
            // The clock of another leader may be off: never longer than the longest delay.
            memo.delay_ms = match memo.scheduled_ms - self.now_ms {
                rest if rest > 0 => rest.min(self.max_delay_ms),
                _ => self.max_delay_ms,
            };
            memo.scheduled_ms = self.now_ms + memo.delay_ms;
        }
    }

    /// Takes what is above everybody's share, connectors and tasks each for themselves. When the last round did so too, only after a
    /// back-off: workers that come one after another would otherwise have work go round for ever.
    fn even_out(
        &self,
        memo: &mut Memo,
        keeps: &mut [Vec<u32>],
        revoked: &mut [Vec<u32>],
        free: &mut Vec<u32>,
        are_connectors: &[bool],
    ) {
        let mut surplus: Vec<Vec<u32>> = vec![Vec::new(); keeps.len()];
        if keeps.iter().any(|keeps| !keeps.is_empty()) {
            for kind in [true, false] {
                self.surplus(kind, keeps, &mut surplus, are_connectors);
            }
        }
        let is_even = surplus.iter().all(Vec::is_empty);
        if is_even {
            memo.attempts = if memo.revoked { 0 } else { memo.attempts };
            memo.revoked = false;
            return;
        }
        if memo.revoked {
            memo.attempts = memo.attempts.saturating_add(1);
            memo.delay_ms = BACK_OFF_BASE.saturating_pow(memo.attempts).min(self.max_delay_ms);
            if memo.delay_ms > 0 {
                memo.scheduled_ms = self.now_ms + memo.delay_ms;
                return;
            }
        }
        let mut running = self.running.iter();
        for ((keeps, revoked), mut surplus) in keeps.iter_mut().zip(revoked).zip(surplus) {
            surplus.sort_unstable();
            keeps.retain(|piece| surplus.binary_search(piece).is_err());
            // What was given in this very round nobody has to give up.
            let runs = running.next().map_or(&[][..], Vec::as_slice);
            let (taken, untold): (Vec<u32>, Vec<u32>) =
                surplus.iter().partition(|piece| runs.binary_search(piece).is_ok());
            memo.revoked |= !taken.is_empty();
            revoked.extend(taken);
            free.extend(untold);
        }
    }

    fn surplus(&self, kind: bool, keeps: &[Vec<u32>], surplus: &mut [Vec<u32>], are_connectors: &[bool]) {
        let is_kind = |piece: &&u32| are_connectors[**piece as usize] == kind;
        let total = are_connectors.iter().filter(|&&is_connector| is_connector == kind).count();
        let (least, mut extra) = (total / keeps.len(), total % keeps.len());
        let sizes: Vec<usize> = keeps.iter().map(|keeps| keeps.iter().filter(is_kind).count()).collect();
        let is_even = sizes.iter().all(|size| (least..=least + 1).contains(size))
            && sizes.iter().filter(|&&size| size == least + 1).count() == extra;
        if is_even {
            return;
        }
        for ((keeps, surplus), size) in keeps.iter().zip(surplus).zip(sizes) {
            if size > least {
                let most = least + usize::from(extra > 0);
                extra -= usize::from(extra > 0);
                let mut of_kind: Vec<u32> = keeps.iter().filter(is_kind).copied().collect();
                of_kind.sort_unstable();
                surplus.extend(&of_kind[..size.saturating_sub(most)]);
            }
        }
    }

    /// Free work goes to who has least of its kind, ties by id: round robin up to the next level.
    fn hand_out(&self, mut free: Vec<u32>, keeps: &mut [Vec<u32>], are_connectors: &[bool]) {
        free.sort_unstable();
        for kind in [true, false] {
            let is_kind = |piece: &&u32| are_connectors[**piece as usize] == kind;
            let size = |keeps: &Vec<u32>| keeps.iter().filter(is_kind).count();
            let keys = (0..).zip(keeps.iter()).map(|(worker, keeps)| key(size(keeps) as u64, 0, worker));
            let mut least = Lowest::of(keys.collect());
            for &piece in free.iter().filter(is_kind) {
                let Some(lowest) = least.peek() else { return };
                keeps[third(lowest) as usize].push(piece);
                least.replace(Some(key(first(lowest) + 1, 0, third(lowest))));
            }
        }
    }

    /// What is configured now, and what of it is revoked.
    fn remember(&self, revoked: &[Vec<u32>]) -> Vec<Known> {
        let mut is_revoked = vec![false; self.catalog.pieces()];
        revoked.iter().flatten().for_each(|&piece| is_revoked[piece as usize] = true);
        let known = |&(name, tasks, first): &(&str, u32, u32)| {
            let pieces = &is_revoked[first as usize..=(first + tasks) as usize];
            let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
            let bits = if pieces.contains(&true) { pieces.chunks(8).map(byte).collect() } else { Vec::new() };
            Known { hash: hash(name), tasks, revoked: bits }
        };
        self.catalog.connectors().iter().map(known).collect()
    }
}

/// Where each hash stands. (One kind of map, and filled in a loop: each other way would be more code in the module.)
fn by_hash(hashes: impl Iterator<Item = u64>) -> BTreeMap<u64, usize> {
    let mut by_hash = BTreeMap::new();
    for (at, hash) in hashes.enumerate() {
        by_hash.insert(hash, at);
    }
    by_hash
}

fn reset(memo: &mut Memo) {
    memo.candidates.clear();
    memo.scheduled_ms = 0;
    memo.delay_ms = 0;
}
