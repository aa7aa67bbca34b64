//! Which modules are offered: of each name the newest two versions, and never two that claim to be the same one. A version that
//! has failed in a group takes no place of a good one, and the last that has served stays until a newer one has, whatever else
//! became of it. A version that somebody named is offered as long as it is there, and one more that has a file while nobody knows
//! whether the newest two do: who joins a group that found both of them broken shares what serves there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::ids::Digest;
use crate::sandbox::limits::{FAILED_VERSIONS, OFFERED_VERSIONS, SPARE_VERSIONS};
use crate::sandbox::standing::Standing;

/// A module that could be offered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub name: String,
    pub version: u32,
    pub digest: Digest,
    /// Its file; none if the file was replaced since.
    pub file: Option<PathBuf>,
    /// What its plans came to.
    pub standing: Standing,
    /// Whether somebody named this very version.
    pub is_named: bool,
}

/// What is offered, and what is refused because it clashes.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    /// By name, newest version first.
    pub offered: Vec<Digest>,
    /// A file and the files that have its name and version with other bytes.
    pub clashes: BTreeMap<PathBuf, Vec<PathBuf>>,
}

/// Chooses among `candidates`. In a clash the one that is `serving` stays, otherwise neither is taken: which one is
/// meant, only the operator knows. Versions without a file are `most_older` at most, over all names.
pub(super) fn choose(candidates: &[Candidate], serving: &BTreeSet<Digest>, most_older: usize) -> Choice {
    let mut names: BTreeMap<&str, BTreeMap<u32, Vec<&Candidate>>> = BTreeMap::new();
    for candidate in candidates {
        names.entry(&candidate.name).or_default().entry(candidate.version).or_default().push(candidate);
    }
    let mut choice = Choice::default();
    let mut older = Vec::new();
    for versions in names.values() {
        // An older version lives by the grace of a newer file: whoever puts an older file back means it.
        let mut in_folder = false;
        let (mut taken, mut of_name) = (Taken::default(), 0);
        for same in versions.values().rev() {
            let (winner, from_file) = winner(same, serving, &mut choice.clashes);
            in_folder |= from_file;
            let Some(digest) = winner.filter(|_| in_folder) else { continue };
            let Some(Candidate { standing, is_named, .. }) = same.iter().find(|one| one.digest == digest) else {
                continue;
            };
            let takes =
                taken.takes(*standing) || (from_file && taken.takes_spare(*standing, serving.contains(&digest)));
            if takes || *is_named {
                choice.offered.push(digest);
                if !from_file {
                    older.push((!is_named, !standing.served, of_name, digest));
                    of_name += 1;
                }
            }
        }
    }
    // What is named comes first, then what served, then each name's newest.
    older.sort_by_key(|(is_unnamed, untried, of_name, _)| (*is_unnamed, *untried, *of_name));
    let too_many: BTreeSet<_> = older.into_iter().skip(most_older).map(|(.., digest)| digest).collect();
    choice.offered.retain(|digest| !too_many.contains(digest));
    choice
}

/// What is offered of a name so far, from the newest version down.
#[derive(Default)]
struct Taken {
    good: usize,
    failed: usize,
    /// Those beyond that are there in case that none of the good is.
    spare: usize,
    /// Whether one of the good has served.
    has_served: bool,
    /// Whether any has, be it that it failed as well.
    ever_served: bool,
}

impl Taken {
    fn takes(&mut self, standing: Standing) -> bool {
        let has_place = self.good < OFFERED_VERSIONS;
        let takes = match (standing.served, standing.failed) {
            _ if !has_place && self.has_served => false,
            (false, false) => has_place,
            (false, true) => has_place && self.failed < FAILED_VERSIONS,
            (true, false) => true,
            // It serves somebody, and may be the only one that does.
            (true, true) => !self.ever_served || self.failed < FAILED_VERSIONS,
        };
        if takes {
            *if standing.failed { &mut self.failed } else { &mut self.good } += 1;
            self.has_served |= standing == Standing::SERVED;
            self.ever_served |= standing.served;
        }
        takes
    }

    /// Once it is offered it stays: withdrawing it would be a rebalance in which nothing moves.
    fn takes_spare(&mut self, standing: Standing, is_serving: bool) -> bool {
        let takes = self.spare < SPARE_VERSIONS && !standing.failed && (is_serving || !self.has_served);
        self.spare += usize::from(takes);
        takes
    }
}

/// Of the candidates with one name and version, the one to offer, and whether it has a file.
fn winner(
    same: &[&Candidate],
    serving: &BTreeSet<Digest>,
    clashes: &mut BTreeMap<PathBuf, Vec<PathBuf>>,
) -> (Option<Digest>, bool) {
    let files: Vec<_> = same.iter().filter_map(|one| Some((one.file.as_ref()?, one.digest))).collect();
    let digests: BTreeSet<_> = files.iter().map(|(_, digest)| *digest).collect();
    if digests.is_empty() {
        return (same.first().map(|one| one.digest), false);
    }
    let winner = match digests.len() {
        1 => digests.first().copied(),
        _ => {
            let mut stays = digests.intersection(serving);
            stays.next().copied().filter(|_| stays.next().is_none())
        }
    };
    for (file, digest) in files.iter().filter(|(_, digest)| Some(*digest) != winner) {
        let others = files.iter().filter(|(_, other)| other != digest).map(|(other, _)| (*other).clone());
        clashes.insert((*file).clone(), others.collect());
    }
    (winner, winner.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, version: u32, digest: u8, file: &str) -> Candidate {
        let (name, digest) = (name.to_owned(), Digest([digest; 32]));
        Candidate { name, version, digest, file: Some(file.into()), standing: Standing::default(), is_named: false }
    }

    fn kept(name: &str, version: u32, digest: u8) -> Candidate {
        Candidate { file: None, ..file(name, version, digest, "") }
    }

    fn offered(candidates: &[Candidate], serving: &[u8]) -> (Vec<u8>, Vec<PathBuf>) {
        let choice = choose(candidates, &serving.iter().map(|digest| Digest([*digest; 32])).collect(), 9);
        (choice.offered.iter().map(|digest| digest.0[0]).collect(), choice.clashes.into_keys().collect())
    }

    #[test]
    fn the_newest_two_versions_of_each_name() {
        let candidates = [kept("b", 1, 1), file("b", 2, 2, "b2"), file("b", 3, 3, "b3"), file("a", 7, 7, "a")];
        assert_eq!(offered(&candidates, &[]), (vec![7, 3, 2], vec![]));
    }

    #[test]
    fn a_version_that_is_named_is_offered_beside_the_newest_two() {
        let named = |it: Candidate| Candidate { is_named: true, ..it };
        let newer = [file("a", 5, 5, "a5"), file("a", 4, 4, "a4"), file("a", 3, 3, "a3"), file("a", 2, 2, "a2")];
        let of = |named: Candidate| offered(&[&newer[..], &[named]].concat(), &[]).0;
        assert_eq!(of(named(file("a", 1, 1, "a1"))), [5, 4, 3, 1]);
        assert_eq!(of(named(kept("a", 1, 1))), [5, 4, 3, 1], "and it is kept when its file was replaced");
        let served = |it: &Candidate| Candidate { standing: Standing::SERVED, ..it.clone() };
        let all = [served(&newer[0]), served(&newer[1]), newer[2].clone(), named(newer[3].clone())];
        assert_eq!(offered(&all, &[]).0, [5, 4, 2], "whatever newer ones do");
        let older = [file("a", 9, 9, "a"), kept("a", 8, 8), served(&kept("a", 7, 7)), named(kept("a", 6, 6))];
        let choice = choose(&older, &BTreeSet::new(), 1);
        assert_eq!(choice.offered.iter().map(|it| it.0[0]).collect::<Vec<_>>(), [9, 6]);
    }

    #[test]
    fn while_nobody_knows_whether_the_newest_two_serve_there_is_a_third_that_has_a_file() {
        let files: Vec<_> = (1..=4).map(|it: u8| file("a", it.into(), it, &format!("a{it}"))).collect();
        let with = |standing: Standing| [&files[..3], &[Candidate { standing, ..files[3].clone() }]].concat();
        assert_eq!(offered(&files, &[]).0, [4, 3, 2], "and no fourth");
        assert_eq!(offered(&with(Standing::SERVED), &[]).0, [4, 3]);
        assert_eq!(
            offered(&with(Standing::SERVED), &[4, 3, 2]).0,
            [4, 3, 2],
            "what is offered is not withdrawn for that"
        );
        assert_eq!(offered(&with(Standing::FAILED), &[]).0, [4, 3, 2, 1]);
        assert_eq!(
            offered(&[files[3].clone(), kept("a", 3, 3), kept("a", 2, 2)], &[]).0,
            [4, 3],
            "its file was replaced"
        );
    }

    #[test]
    fn an_older_version_is_kept_below_a_newer_file_alone() {
        assert_eq!(offered(&[kept("a", 1, 1), file("a", 2, 2, "a")], &[]).0, [2, 1]);
        assert_eq!(offered(&[kept("a", 1, 1)], &[]).0, [0; 0], "its file is gone");
        assert_eq!(offered(&[kept("a", 2, 2), file("a", 1, 1, "a")], &[2]).0, [1], "an older file was put back");
    }

    #[test]
    fn versions_that_failed_hide_no_good_one() {
        let bad = |version: u32, digest: u8| Candidate { standing: Standing::FAILED, ..kept("a", version, digest) };
        let newest = file("a", 9, 9, "a");
        let two = [newest.clone(), bad(8, 8), bad(7, 7), kept("a", 2, 2), kept("a", 1, 1)];
        assert_eq!(offered(&two, &[]).0, [9, 8, 7, 2]);
        let newest = Candidate { standing: Standing::FAILED, ..newest };
        let many: Vec<_> = (3..9).map(|version| bad(version, u8::try_from(version).unwrap())).collect();
        let all = [&[newest, kept("a", 2, 2), kept("a", 1, 1)], &many[..]].concat();
        assert_eq!(offered(&all, &[]).0, [9, 8, 7, 6, 2, 1], "there is an end to those that failed, not to the good");
    }

    #[test]
    fn the_last_that_served_stays_until_a_newer_one_has() {
        let (newest, second) = (file("a", 9, 9, "a"), kept("a", 8, 8));
        let served = |it: &Candidate| Candidate { standing: Standing::SERVED, ..it.clone() };
        let rest = [served(&kept("a", 2, 2)), served(&kept("a", 1, 1))];
        let of = |newest: Candidate| offered(&[&[newest, second.clone(), kept("a", 7, 7)], &rest[..]].concat(), &[]).0;
        assert_eq!(of(newest.clone()), [9, 8, 2], "nobody has tried the newest two");
        assert_eq!(of(served(&newest)), [9, 8]);
    }

    #[test]
    fn of_too_many_older_versions_those_that_served_stay_then_each_names_newest() {
        let served = Candidate { standing: Standing::SERVED, ..kept("b", 1, 1) };
        let untried = [kept("a", 5, 5), kept("c", 6, 6)];
        let rest = [file("a", 7, 7, "a"), file("b", 8, 8, "b"), file("c", 9, 9, "c"), kept("b", 2, 2), served];
        let all = [&rest[..], &untried].concat();
        let of = |most| choose(&all, &BTreeSet::new(), most).offered.iter().map(|it| it.0[0]).collect::<Vec<_>>();
        assert_eq!(of(9), [7, 5, 8, 2, 1, 9, 6]);
        assert_eq!(of(4), [7, 5, 8, 2, 1, 9, 6]);
        assert_eq!(of(3), [7, 5, 8, 2, 1, 9]);
        assert_eq!(of(1), [7, 8, 1, 9]);
        assert_eq!(of(0), [7, 8, 9], "files are what the operator put there");
    }

    #[test]
    fn one_failure_takes_no_version_that_served_away() {
        let mixed = |it: Candidate| Candidate { standing: Standing { served: true, failed: true }, ..it };
        let untried = [file("a", 9, 9, "a"), kept("a", 8, 8)];
        let failed = |version: u8| Candidate { standing: Standing::FAILED, ..kept("a", version.into(), version) };
        let of = |rest: &[Candidate]| offered(&[&untried, rest].concat(), &[]).0;
        assert_eq!(of(&[mixed(kept("a", 2, 2)), kept("a", 1, 1)]), [9, 8, 2]);
        assert_eq!(of(&[mixed(kept("a", 3, 3)), mixed(kept("a", 2, 2))]), [9, 8, 3, 2], "it takes no good one's place");
        let many: Vec<_> = (3..8).map(failed).chain([mixed(kept("a", 2, 2)), mixed(kept("a", 1, 1))]).collect();
        let newest = Candidate { standing: Standing::FAILED, ..file("a", 9, 9, "a") };
        assert_eq!(offered(&[&[newest], &many[..]].concat(), &[]).0, [9, 7, 6, 5, 2], "there is an end to these, too");
        let served = |it: &Candidate| Candidate { standing: Standing::SERVED, ..it.clone() };
        let new = [untried[0].clone(), served(&untried[1]), mixed(kept("a", 2, 2))];
        assert_eq!(offered(&new, &[]).0, [9, 8], "a newer one served");
    }

    #[test]
    fn of_two_that_claim_to_be_the_same_the_serving_one_stays() {
        let twins = [file("a", 1, 1, "x"), file("a", 1, 2, "y")];
        assert_eq!(offered(&twins, &[1]), (vec![1], vec!["y".into()]));
        assert_eq!(offered(&twins, &[]), (vec![], vec!["x".into(), "y".into()]));
        assert_eq!(offered(&[file("a", 1, 1, "x"), file("a", 1, 1, "y")], &[]), (vec![1], vec![]), "equal bytes");
    }
}
