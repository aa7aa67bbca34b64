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
}

impl Cursor {
    /// Before the first member of a group.
    pub fn new(group: &Group<'_>) -> Self {
        Cursor { place: 0, members: group.members().len() }
    }

    /// Deals consecutive partitions out to their readers, which come in Kafka's order, from the cursor on, and moves it behind who
    /// got the last one. Without readers nothing is given.
    pub fn deal(&mut self, partitions: Partitions, readers: &[Member<'_>], owners: &mut Owners) {
        self.place = deal(partitions, readers, owners, self.place, self.members, |member| member.place());
    }
}

/// A cursor over members that have something already: those that have less come first, ties in Kafka's order, so that who got one more
/// elsewhere does not get one more here.
#[derive(Clone, Debug)]
pub struct ByLoad {
    place: usize,
    /// By member index.
    places: Vec<usize>,
}

impl ByLoad {
    /// Before the member that has least; `loads` are partitions by member index.
    pub fn new(group: &Group<'_>, loads: &[u32]) -> Self {
        let load = |member: Member<'_>| loads.get(member.index()).copied().unwrap_or(0);
        let keys = group.members().map(|it| order::key(u64::from(load(it)), it.place() as u32, it.index() as u32));
        let mut keys: Vec<u128> = keys.collect();
        order::sort(&mut keys);
        let mut places = vec![0; keys.len()];
        keys.iter().enumerate().for_each(|(place, &key)| places[order::third(key) as usize] = place);
        ByLoad { place: 0, places }
    }

    /// Deals consecutive partitions out to their readers, in whatever order these come.
    pub fn deal(&mut self, partitions: Partitions, readers: &[Member<'_>], owners: &mut Owners) {
        let readers = self.sorted(readers);
        let place = |member: Member<'_>| self.places[member.index()];
        self.place = deal(partitions, &readers, owners, self.place, self.places.len(), place);
    }

    /// Deals all partitions of some topics out, in the order of the topics.
    pub fn deal_all<'g>(&mut self, topics: impl IntoIterator<Item = Topic<'g>>, owners: &mut Owners) {
        let mut before: Option<(Topic<'g>, Vec<Member<'g>>)> = None;
        for topic in topics {
            let readers = match before.take() {
                Some((before, readers)) if before.has_same_subscribers(topic) => readers,
                _ => self.sorted(&topic.subscribers()),
            };
            let place = |member: Member<'_>| self.places[member.index()];
            self.place = deal(topic.partitions(), &readers, owners, self.place, self.places.len(), place);
            before = Some((topic, readers));
        }
    }

    fn sorted<'g>(&self, readers: &[Member<'g>]) -> Vec<Member<'g>> {
        let place = |reader: Member<'_>| self.places[reader.index()] as u64;
        let mut keys: Vec<u128> = (0..).zip(readers).map(|(at, &reader)| order::key(place(reader), 0, at)).collect();
        order::sort(&mut keys);
        keys.iter().map(|&key| readers[order::third(key) as usize]).collect()
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
    let mut cursor = Cursor::new(group);
    let mut before: Option<(Topic<'g>, Vec<Member<'g>>)> = None;
    for topic in topics {
        let readers = match before.take() {
            Some((before, readers)) if before.has_same_subscribers(topic) => readers,
            _ => topic.subscribers(),
        };
        cursor.deal(topic.partitions(), &readers, owners);
        before = Some((topic, readers));
    }
}

/// Gives all partitions of a group: the whole strategy.
pub fn assign(group: &Group<'_>, owners: &mut Owners) {
    let mut cursor = Cursor::new(group);
    for run in group.runs() {
        cursor.deal(run.partitions(), run.subscribers(), owners);
    }
}
