//! Kafka's round robin: topics by name, partitions by number, members in Kafka's order. One cursor passes over members that do not
//! subscribe, and goes on from where it is with the next topic.

use crate::strategy::order;
use crate::{Group, Member, Owners, Partitions, Topic};

/// The cursor: it stands before a place in Kafka's order of all members.
///
/// ```
/// use divvy_guest::prelude::*;
/// use divvy_guest::strategy::round_robin::Cursor;
///
/// /// Large topics first.
/// fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
///     let mut topics: Vec<Topic<'_>> = group.topics().collect();
///     topics.sort_by_key(|topic| std::cmp::Reverse(topic.len()));
///     let mut cursor = Cursor::new(group);
///     for topic in topics {
///         cursor.deal(topic.partitions(), &topic.subscribers(), owners);
///     }
///     Ok(())
/// }
/// # use divvy_guest::testing::TestGroup;
/// # let plan = TestGroup::new().topic("a", 1).topic("b", 3).members(2).plan(assign).expect("a plan");
/// # assert_eq!((plan.of("m-00", "b"), plan.of("m-01", "a")), (&[0, 2][..], &[0][..]));
/// ```
#[derive(Clone, Debug)]
pub struct Cursor {
    place: usize,
    members: usize,
    /// Places by member index, where they are not Kafka's.
    places: Option<Vec<usize>>,
}

impl Cursor {
    /// Before the first member of a group.
    pub fn new(group: &Group<'_>) -> Self {
        Cursor { place: 0, members: group.members().len(), places: None }
    }

    /// Members that have less come first, ties in Kafka's order: so that who got one more elsewhere does not get one more here.
    /// `loads` are partitions by member index.
    pub fn by_load(group: &Group<'_>, loads: &[u32]) -> Self {
        let load = |member: Member<'_>| loads.get(member.index()).copied().unwrap_or(0);
        let keys = group.members().map(|it| order::key(u64::from(load(it)), it.place() as u32, it.index() as u32));
        let mut keys: Vec<u128> = keys.collect();
        order::sort(&mut keys);
        let mut places = vec![0; keys.len()];
        keys.iter().enumerate().for_each(|(place, &key)| places[order::third(key) as usize] = place);
        Cursor { places: Some(places), ..Cursor::new(group) }
    }

    /// Deals consecutive partitions out to their readers, which come in Kafka's order, from the cursor on, and moves it behind who
    /// got the last one. Without readers nothing is given.
    pub fn deal(&mut self, partitions: Partitions, readers: &[Member<'_>], owners: &mut Owners) {
        match &self.places {
            None => self.place = deal(partitions, readers, owners, self.place, self.members, |member| member.place()),
            Some(places) => {
                let place = |member: Member<'_>| places[member.index()];
                let keys = (0..).zip(readers).map(|(at, &reader)| order::key(place(reader) as u64, 0, at));
                let mut keys: Vec<u128> = keys.collect();
                order::sort(&mut keys);
                let readers: Vec<Member<'_>> = keys.iter().map(|&key| readers[order::third(key) as usize]).collect();
                self.place = deal(partitions, &readers, owners, self.place, self.members, place);
            }
        }
    }

    /// Deals all partitions of some topics out, in the order of the topics.
    pub fn deal_all<'g>(&mut self, topics: impl IntoIterator<Item = Topic<'g>>, owners: &mut Owners) {
        let mut before: Option<(Topic<'g>, Vec<Member<'g>>)> = None;
        for topic in topics {
            let readers = match before.take() {
                Some((before, readers)) if before.has_same_subscribers(topic) => readers,
                _ => topic.subscribers(),
            };
            self.deal(topic.partitions(), &readers, owners);
            before = Some((topic, readers));
        }
    }
}

/// From a place to the next one.
fn deal(
    partitions: Partitions,
    readers: &[Member<'_>],
    owners: &mut Owners,
    from: usize,
    members: usize,
    place: impl Fn(Member<'_>) -> usize,
) -> usize {
    if readers.is_empty() || partitions.len() == 0 {
        return from;
    }
    // All skips are alike, so they are made once: the next reader at or behind the cursor, else the first.
    let first = readers.partition_point(|&reader| place(reader) < from) % readers.len();
    let last = readers[(first + partitions.len() - 1) % readers.len()];
    owners.deal(partitions, readers, first);
    (place(last) + 1) % members
}

/// Gives all partitions of some topics, in the order of the topics.
pub fn give_all<'g>(group: &Group<'_>, topics: impl IntoIterator<Item = Topic<'g>>, owners: &mut Owners) {
    Cursor::new(group).deal_all(topics, owners);
}

/// Gives all partitions of a group: the whole strategy.
pub fn assign(group: &Group<'_>, owners: &mut Owners) {
    let mut cursor = Cursor::new(group);
    for run in group.runs() {
        cursor.deal(run.partitions(), run.subscribers(), owners);
    }
}
