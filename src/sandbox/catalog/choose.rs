//! Which modules are offered: of each name the newest two versions, and never two that claim to be the same one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::ids::Digest;
use crate::sandbox::limits::OFFERED_VERSIONS;

/// A module that could be offered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub name: String,
    pub version: u32,
    pub digest: Digest,
    /// Its file; none if the file was replaced since.
    pub file: Option<PathBuf>,
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
/// meant, only the operator knows.
pub(super) fn choose(candidates: &[Candidate], serving: &BTreeSet<Digest>) -> Choice {
    let mut names: BTreeMap<&str, BTreeMap<u32, Vec<&Candidate>>> = BTreeMap::new();
    for candidate in candidates {
        names.entry(&candidate.name).or_default().entry(candidate.version).or_default().push(candidate);
    }
    let mut choice = Choice::default();
    for versions in names.values() {
        // An older version lives by the grace of a newer file: whoever puts an older file back means it.
        let mut in_folder = false;
        let mut offered = 0;
        for same in versions.values().rev() {
            let (winner, from_file) = winner(same, serving, &mut choice.clashes);
            in_folder |= from_file;
            if let Some(digest) = winner
                && in_folder
                && offered < OFFERED_VERSIONS
            {
                choice.offered.push(digest);
                offered += 1;
            }
        }
    }
    choice
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
        Candidate { name: name.to_owned(), version, digest: Digest([digest; 32]), file: Some(file.into()) }
    }

    fn kept(name: &str, version: u32, digest: u8) -> Candidate {
        Candidate { file: None, ..file(name, version, digest, "") }
    }

    fn offered(candidates: &[Candidate], serving: &[u8]) -> (Vec<u8>, Vec<PathBuf>) {
        let choice = choose(candidates, &serving.iter().map(|digest| Digest([*digest; 32])).collect());
        (choice.offered.iter().map(|digest| digest.0[0]).collect(), choice.clashes.into_keys().collect())
    }

    #[test]
    fn the_newest_two_versions_of_each_name() {
        let candidates = [kept("b", 1, 1), file("b", 2, 2, "b2"), file("b", 3, 3, "b3"), file("a", 7, 7, "a")];
        assert_eq!(offered(&candidates, &[]), (vec![7, 3, 2], vec![]));
    }

    #[test]
    fn an_older_version_is_kept_below_a_newer_file_alone() {
        assert_eq!(offered(&[kept("a", 1, 1), file("a", 2, 2, "a")], &[]).0, [2, 1]);
        assert_eq!(offered(&[kept("a", 1, 1)], &[]).0, [0; 0], "its file is gone");
        assert_eq!(offered(&[kept("a", 2, 2), file("a", 1, 1, "a")], &[2]).0, [1], "an older file was put back");
    }

    #[test]
    fn of_two_that_claim_to_be_the_same_the_serving_one_stays() {
        let twins = [file("a", 1, 1, "x"), file("a", 1, 2, "y")];
        assert_eq!(offered(&twins, &[1]), (vec![1], vec!["y".into()]));
        assert_eq!(offered(&twins, &[]), (vec![], vec!["x".into(), "y".into()]));
        assert_eq!(offered(&[file("a", 1, 1, "x"), file("a", 1, 1, "y")], &[]), (vec![1], vec![]), "equal bytes");
    }
}
