//! What a plan changes: for each member what it has, what it would have, what comes and goes; for the group how much moves,
//! how even it is, and how much work is near its member.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;

use crate::assignor::{MemberInput, Spoken};
use crate::embedded::consumer::{Assignment, Subscription};
use crate::ids::{MemberId, TopicName};
use crate::topics::TopicTable;

mod spread;
mod states;

pub use spread::{Counts, TopicSpread};
pub use states::{StateRow, compare_states};

/// One partition.
pub type Partition = (TopicName, i32);

/// What members have, each by its id.
pub type States<'a> = &'a [(MemberId, Bytes)];

/// A member before it is compared.
#[derive(Clone, Debug)]
pub(super) struct Party<'a> {
    pub(super) name: String,
    /// Where it stands, if anybody said.
    pub(super) rack: Option<String>,
    /// The topics that it reads.
    pub(super) wants: BTreeSet<TopicName>,
    /// The state that it has; none for a newcomer.
    pub(super) before: Option<&'a [u8]>,
    /// The state that it would have.
    pub(super) after: &'a [u8],
}

/// A member.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The name that people know it by.
    pub name: String,
    /// Where it stands, if anybody said.
    pub rack: Option<String>,
    /// The topics that it reads.
    pub wants: BTreeSet<TopicName>,
    /// What it has.
    pub before: BTreeSet<Partition>,
    /// What it would have.
    pub after: BTreeSet<Partition>,
    /// How many of both are near it, where racks are known.
    pub near: Option<(usize, usize)>,
}

impl Row {
    /// What it would get.
    pub fn gets(&self) -> impl Iterator<Item = &Partition> {
        self.after.difference(&self.before)
    }

    /// What it would give up.
    pub fn gives(&self) -> impl Iterator<Item = &Partition> {
        self.before.difference(&self.after)
    }
}

/// A plan against what is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// The members, by name.
    pub rows: Vec<Row>,
    /// How many partitions each topic has.
    pub sizes: BTreeMap<TopicName, usize>,
    /// How many partitions the group's topics have.
    pub partitions: usize,
    /// How many come to a member while another had them.
    pub moved: usize,
    /// How many come to a member and were nobody's.
    pub new: usize,
    /// How many had no owner, and would have none.
    pub unowned: (usize, usize),
}

impl Comparison {
    /// The fewest and the most that a member has, and would have.
    pub fn spread(&self) -> ((usize, usize), (usize, usize)) {
        let of = |count: fn(&Row) -> usize| {
            let counts = self.rows.iter().map(count);
            (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0))
        };
        (of(|row| row.before.len()), of(|row| row.after.len()))
    }

    /// How many are near their member, and would be; none where no rack is known.
    pub fn near(&self) -> Option<(usize, usize)> {
        let known = self.rows.iter().filter_map(|row| row.near);
        known.reduce(|sum, near| (sum.0 + near.0, sum.1 + near.1))
    }

    /// Whether it would change nothing.
    pub fn changes_nothing(&self) -> bool {
        self.rows.iter().all(|row| row.before == row.after)
    }

    /// All that somebody has, and that somebody would have.
    fn owned(&self) -> (BTreeSet<&Partition>, BTreeSet<&Partition>) {
        let of = |part: fn(&Row) -> &BTreeSet<Partition>| self.rows.iter().flat_map(part).collect();
        (of(|row| &row.before), of(|row| &row.after))
    }
}

/// Compares what members, each with the name that people know it by, have with what they would have. Who is there for no
/// work of its own (`divvy lead` itself) is left out.
pub fn compare<'a>(
    members: impl IntoIterator<Item = (String, &'a MemberInput)>,
    (before, after): (States<'_>, States<'_>),
    spoken: &Spoken,
    topics: &TopicTable,
) -> Comparison {
    let (before, after) = (by_member(before), by_member(after));
    let members = members.into_iter().map(|(name, member)| (name, member, wants(&member.metadata)));
    let parties = members.filter(|(.., wants)| !wants.is_empty()).map(|(name, member, wants)| Party {
        name,
        rack: spoken.rack(member),
        wants,
        before: before.get(&member.id).copied(),
        after: after.get(&member.id).copied().unwrap_or_default(),
    });
    compared(parties, topics)
}

fn by_member(states: States<'_>) -> HashMap<&MemberId, &[u8]> {
    states.iter().map(|(id, state)| (id, &state[..])).collect()
}

pub(super) fn compared<'a>(parties: impl IntoIterator<Item = Party<'a>>, topics: &TopicTable) -> Comparison {
    let mut rows: Vec<Row> = parties
        .into_iter()
        .map(|party| {
            let (before, after) = (party.before.map(partitions).unwrap_or_default(), partitions(party.after));
            let near = party.rack.as_deref().and_then(|rack| near(rack, &before, &after, topics));
            Row { name: party.name, rack: party.rack, wants: party.wants, before, after, near }
        })
        .collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    let sizes = topics.0.iter().map(|(name, topic)| (name.clone(), topic.partitions as usize)).collect();
    let mut plan = Comparison { rows, sizes, ..Comparison::default() };
    let (before, after) = plan.owned();
    let gets: Vec<&Partition> = plan.rows.iter().flat_map(Row::gets).collect();
    let moved = gets.iter().filter(|partition| before.contains(*partition)).count();
    let new = gets.len() - moved;
    let all = plan.sizes.values().sum::<usize>();
    let exist = |owned: &BTreeSet<&Partition>| {
        owned.iter().filter(|(topic, number)| topics.has_partition(topic.as_str(), *number)).count()
    };
    let unowned = (all - exist(&before).min(all), all - exist(&after).min(all));
    (plan.partitions, plan.moved, plan.new, plan.unowned) = (all, moved, new, unowned);
    plan
}

/// The topics that a member reads.
fn wants(metadata: &[u8]) -> BTreeSet<TopicName> {
    let Ok(said) = Subscription::decode(metadata) else { return BTreeSet::new() };
    said.topics.into_iter().map(TopicName::from).collect()
}

/// Whether a member wants any topic.
pub(super) fn wants_something(metadata: &[u8]) -> bool {
    Subscription::decode(metadata).is_ok_and(|said| !said.topics.is_empty())
}

fn partitions(state: &[u8]) -> BTreeSet<Partition> {
    let Ok(assignment) = Assignment::decode_state(state) else { return BTreeSet::new() };
    let topics = assignment.topics.iter();
    topics.flat_map(|it| it.partitions.iter().map(|number| (TopicName::from(it.topic), number))).collect()
}

fn near(
    rack: &str,
    before: &BTreeSet<Partition>,
    after: &BTreeSet<Partition>,
    topics: &TopicTable,
) -> Option<(usize, usize)> {
    if topics.0.values().all(|topic| topic.racks.is_empty()) {
        return None;
    }
    let is_near = |(topic, number): &&Partition| {
        let at = usize::try_from(*number).ok();
        let racks = topics.get(topic.as_str()).and_then(|topic| topic.racks.get(at?));
        racks.is_some_and(|racks| racks.iter().any(|it| it == rack))
    };
    Some((before.iter().filter(is_near).count(), after.iter().filter(is_near).count()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::embedded::consumer::TopicPartitions;
    use crate::topics::Topic;

    pub fn state(partitions: &[i32]) -> Vec<u8> {
        let topics = vec![TopicPartitions { topic: "t", partitions: partitions.iter().copied().collect() }];
        Assignment { topics, user_data: None }.encode()
    }

    pub fn topics(racks: &[&str]) -> TopicTable {
        let racks: Vec<Vec<String>> = racks.iter().map(|rack| vec![(*rack).to_owned()]).collect();
        TopicTable([("t".into(), Topic { partitions: 4, racks })].into())
    }

    /// Its name, its rack, what it has and what it would have.
    pub type Line<'a> = (&'a str, Option<&'a str>, Option<&'a [i32]>, &'a [i32]);

    pub fn lines(parties: &[Line<'_>], topics: &TopicTable) -> Comparison {
        let states: Vec<_> = parties.iter().map(|(.., before, after)| (before.map(state), state(after))).collect();
        let parties = parties.iter().zip(&states).map(|((name, rack, ..), (before, after))| Party {
            name: (*name).to_owned(),
            rack: rack.map(str::to_owned),
            wants: BTreeSet::from(["t".into()]),
            before: before.as_deref(),
            after,
        });
        compared(parties, topics)
    }

    #[test]
    fn what_moves_is_counted_once_and_what_nobody_had_is_no_move() {
        let plan = lines(&[("b", None, Some(&[0, 1, 2]), &[0, 1]), ("a", None, None, &[2, 3])], &topics(&[]));
        assert_eq!((plan.moved, plan.new, plan.unowned, plan.partitions), (1, 1, (1, 0), 4));
        assert_eq!(plan.spread(), ((0, 3), (2, 2)));
        assert_eq!(plan.rows[0].name, "a");
        assert_eq!(plan.rows[1].gives().count(), 1);
        assert_eq!(plan.near(), None);
        assert!(!plan.changes_nothing());
    }

    #[test]
    fn with_copies_each_copy_that_comes_to_somebody_counts() {
        let plan =
            lines(&[("a", None, Some(&[0, 1]), &[0, 1]), ("b", None, Some(&[2, 3]), &[0, 1, 2, 3])], &topics(&[]));
        assert_eq!((plan.moved, plan.new, plan.unowned), (2, 0, (0, 0)));
    }

    #[test]
    fn near_is_what_lies_in_the_members_rack() {
        let topics = topics(&["x", "x", "y", "y"]);
        let plan =
            lines(&[("a", Some("x"), Some(&[0, 2]), &[0, 1]), ("b", Some("y"), Some(&[1, 3]), &[2, 3])], &topics);
        assert_eq!(plan.near(), Some((2, 4)));
        assert_eq!(plan.rows[0].near, Some((1, 2)));
    }

    #[test]
    fn states_that_cannot_be_read_are_nothing() {
        let party = Party { name: "a".into(), rack: None, wants: BTreeSet::new(), before: Some(b"?"), after: b"" };
        let plan = compared([party], &topics(&[]));
        assert!(plan.changes_nothing());
        assert_eq!(plan.unowned, (4, 4));
    }

    #[test]
    fn members_are_found_by_their_id_and_who_wants_nothing_is_left_out() {
        let member = |id: &str, topics: Vec<&str>| MemberInput {
            id: id.into(),
            instance: None,
            metadata: Subscription { version: 0, topics, tail: Default::default() }.encode().into(),
        };
        let (a, b, lead) = (member("a", vec!["t"]), member("b", vec!["t"]), member("lead", vec![]));
        let mut spoken = Spoken::default();
        spoken.add("b", "rack", serde_json::json!("y"));
        let has = |id: &str, partitions: &[i32]| (MemberId::from(id), Bytes::from(state(partitions)));
        let (before, after) = ([has("a", &[0, 1, 2, 3])], [has("a", &[0, 1]), has("b", &[2, 3]), has("lead", &[])]);
        let members = [("second", &b), ("first", &a), ("lead", &lead)].map(|(name, member)| (name.to_owned(), member));
        let plan = compare(members, (&before, &after), &spoken, &topics(&["x", "x", "y", "y"]));
        let names: Vec<&str> = plan.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!((names, plan.moved, plan.near()), (vec!["first", "second"], 2, Some((0, 2))));
    }
}
