//! Handing over step by step (KIP-429): a strategy says who shall have what, and what somebody else may still be running is
//! held back until it was given up. So every strategy is safe under a cooperative name, and none needs to know of it.
//!
//! The rule for a partition: who may be running it and who gets it are together no more than its copies; with one copy it
//! goes to its only holder or, when nobody holds it, to anybody. Who finds that it no longer has a partition gives it up
//! and joins again; that is the next round, and with nothing in between it is the last one. A primary never moves directly:
//! its successor holds the partition as a copy first, and is its primary in a round of its own.
//!
//! That the second round is the last one needs a strategy that then means what it meant before, although what was withheld
//! is nobody's by now. Where all read the same every strategy of this repository does. Where they do not, `uniform`,
//! `weighted`, `lag-aware`, `redundant` and what `composite` makes of them do not always, in groups where somebody holds what
//! it does not read or several hold one partition: of several plans that are as good they find another one, and move
//! something in a third round. The host cannot settle it here: what the first round meant for whom stands nowhere in the
//! second one's request, and a host that remembered it would have to tell a strategy that somebody had what it never ran,
//! carry that from one leader to the next, and keep it in captures. So it is left at a round more, in which nothing is unsafe.

use super::Diagnostic;
use super::claims::Holds;
use super::manifest::Mode;
use super::owners::{NOBODY, Owners};
use super::verify::Spot;
use super::view::View;

#[cfg(test)]
mod tests;

/// What was held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Withheld {
    /// Places of partitions that got no owner in this round.
    pub places: usize,
    /// Whether something waits for which no member will join again by itself.
    pub needs_call: bool,
}

impl Withheld {
    /// A line about it, for people.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        let places = self.places;
        let text = format!("{places} partitions wait until those that may still be running them gave them up");
        (places > 0).then(|| Diagnostic { level: "info".into(), text })
    }
}

/// Makes a plan one that can be handed out under that mode: eager members have given everything up, whatever they say.
pub(super) fn hand_over(view: &View<'_>, owners: &mut Owners, mode: Mode) -> Result<Withheld, String> {
    if mode == Mode::Eager {
        return Ok(Withheld::default());
    }
    withhold(view, owners, &Holds::of(view, owners.copies()))
}

/// The same under a cooperative name, where it is known who holds what.
pub(super) fn withhold(view: &View<'_>, owners: &mut Owners, holds: &Holds) -> Result<Withheld, String> {
    let withheld = take_out(owners, holds);
    verify(view, owners, holds)?;
    Ok(withheld)
}

/// Takes out of a plan what is not to be given yet.
pub(super) fn take_out(owners: &mut Owners, holds: &Holds) -> Withheld {
    if holds.are_none() {
        Withheld::default()
    } else if owners.copies() == 1 {
        Withheld { places: withhold_single(owners, holds), needs_call: false }
    } else {
        withhold_copies(owners, holds)
    }
}

fn withhold_single(owners: &mut Owners, holds: &Holds) -> usize {
    let mut places = 0;
    let mut check = |owner: &mut u32, holder: u32| {
        let waits = holder != NOBODY && *owner != NOBODY && *owner != holder;
        places += usize::from(waits);
        *owner = if waits { NOBODY } else { *owner };
    };
    owners.cells_mut().iter_mut().zip(holds.firsts()).for_each(|(owner, &holder)| check(owner, holder));
    holds.others().iter().for_each(|&(partition, holder)| check(&mut owners.of_mut(partition as usize)[0], holder));
    places
}

fn withhold_copies(owners: &mut Owners, holds: &Holds) -> Withheld {
    let copies = owners.copies();
    let mut withheld = Withheld::default();
    let (mut holders, mut given) = (Vec::new(), Vec::new());
    for partition in 0..owners.cells().len() / copies {
        holders.clear();
        holders.extend(holds.of_partition(partition));
        if holders.is_empty() {
            continue;
        }
        let cells = owners.of_mut(partition);
        given.clear();
        given.extend(cells.iter().copied().filter(|owner| *owner != NOBODY));
        let wanted = given.len();
        let primary_moves = settle(&mut given, &holders, copies);
        withheld.places += wanted - given.len();
        // A holder that is left out joins again; where there is none, nobody does.
        withheld.needs_call |= primary_moves && holders.iter().all(|holder| given.contains(holder));
        cells.fill(NOBODY);
        cells[..given.len()].copy_from_slice(&given);
    }
    withheld
}

/// Cuts the owners of one partition, its primary first, to those that may have it now. Says whether the primary is kept
/// and has to wait behind one that holds the partition already.
fn settle(given: &mut Vec<u32>, holders: &[u32], copies: usize) -> bool {
    let Some(&primary) = given.first() else { return false };
    let mut room = copies.checked_sub(holders.len());
    given.retain(|owner| match &mut room {
        // More hold it than may: whoever is right, all give it up first.
        None => false,
        Some(_) if holders.contains(owner) => true,
        Some(0) => false,
        Some(room) => {
            *room -= 1;
            true
        }
    });
    match given.iter().position(|owner| holders.contains(owner)) {
        // One that may be the primary still holds it, and nobody that is given it does.
        None => {
            given.clear();
            false
        }
        Some(at) => {
            given[..=at].rotate_right(1);
            given.contains(&primary) && given[0] != primary
        }
    }
}

/// Judges owner maps by the same rule.
pub(super) fn verify(view: &View<'_>, owners: &Owners, holds: &Holds) -> Result<(), String> {
    if holds.are_none() || (owners.copies() == 1 && holds.allow(owners.cells())) {
        return Ok(());
    }
    for topic in &view.topics {
        for number in 0..topic.partitions as usize {
            let partition = topic.base as usize + number;
            let cells = owners.range(partition, partition + 1);
            let given = cells.iter().filter(|owner| **owner != NOBODY);
            let first_holder = holds.first(partition);
            if first_holder == NOBODY || cells[0] == NOBODY {
                continue;
            }
            let waiting = holds.of_partition(partition).filter(|holder| !cells.contains(holder));
            if given.count() + waiting.count() > owners.copies() {
                let other = holds.of_partition(partition).find(|holder| !cells.contains(holder));
                let ids = [cells[0], other.unwrap_or(first_holder)].map(|member| view.members[member as usize].id);
                return Err(too_early(Spot::of(topic, number), ids[0].as_str(), ids[1].as_str()));
            }
        }
    }
    Ok(())
}

/// The broken rule, for people.
pub(super) fn too_early(spot: Spot<'_>, to: &str, holder: &str) -> String {
    format!("{spot} goes to {to:?} while {holder:?} may still be running it")
}
