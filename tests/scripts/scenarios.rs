//! Each of the 78 scenarios of the classic protocol has its story, found by its number: in a story's first comment, or
//! among those that are told by another kind of test.

use std::collections::BTreeSet;

/// Told elsewhere, because they are about the wire or about chance.
const TOLD_ELSEWHERE: [(u32, &str); 4] = [
    (66, "there are no transactions: TxnOffsetCommit is refused (tests/it)"),
    (76, "filters of ListGroups (src/server/api/list_groups.rs)"),
    (77, "ApiVersions of the future (tests/laws/hostile.rs, tests/it)"),
    (78, "random operations (tests/laws, tests/sim)"),
];

#[test]
fn every_scenario_has_its_story() {
    let mut told: BTreeSet<u32> = TOLD_ELSEWHERE.iter().map(|(number, _)| *number).collect();
    for (_, story) in super::stories() {
        let comment: Vec<&str> = story.lines().map_while(|line| line.strip_prefix('#')).collect();
        told.extend(scenarios(&comment.join(" ")));
    }
    let missing: Vec<u32> = (1..=78).filter(|number| !told.contains(number)).collect();
    assert!(missing.is_empty(), "no story tells the scenarios {missing:?}");
}

/// The numbers that a comment names: `S18 to S22, S30`.
fn scenarios(comment: &str) -> BTreeSet<u32> {
    let words: Vec<&str> = comment.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let number = |word: &str| word.strip_prefix('S').and_then(|digits| digits.parse::<u32>().ok());
    let mut found: BTreeSet<u32> = words.iter().filter_map(|word| number(word)).collect();
    for range in words.windows(3).filter(|range| range[1] == "to") {
        if let (Some(first), Some(last)) = (number(range[0]), number(range[2])) {
            found.extend(first..=last);
        }
    }
    found
}

#[test]
fn a_comment_names_scenarios_one_by_one_and_in_ranges() {
    assert_eq!(scenarios(" S18 to S20, S30, KAFKA-1: Stable"), BTreeSet::from([18, 19, 20, 30]));
}
