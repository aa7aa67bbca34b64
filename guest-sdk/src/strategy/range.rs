//! Kafka's range: of each topic, every reader gets one run of consecutive partitions, in member order.
//!
//! Of a topic with `n` partitions and `m` readers, the first `n % m` readers get one partition above `n / m`. Nothing is remembered, so
//! topics with the same number of partitions and the same readers have each partition number with the same member.

use crate::{Group, Member, Owners, Topic};

/// Gives the partitions of a topic to its readers, which come in the order that odd partitions go by. Without readers nothing is given.
///
/// ```
/// use divvy_guest::prelude::*;
/// use divvy_guest::strategy::range;
///
/// /// Odd partitions begin with another member in each topic.
/// fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
///     for topic in group.topics() {
///         let mut readers = topic.subscribers();
///         let first = topic.index() % readers.len().max(1);
///         readers.rotate_left(first);
///         range::give(topic, &readers, owners);
///     }
///     Ok(())
/// }
/// # use divvy_guest::testing::TestGroup;
/// # let plan = TestGroup::new().topic("a", 1).topic("b", 1).members(2).plan(assign).expect("a plan");
/// # assert_eq!((plan.of("m-00", "a"), plan.of("m-01", "b")), (&[0][..], &[0][..]));
/// ```
pub fn give(topic: Topic<'_>, readers: &[Member<'_>], owners: &mut Owners) {
    let mut partitions = topic.partitions();
    let Some(base) = topic.len().checked_div(readers.len()) else { return };
    let extra = topic.len() % readers.len();
    // Of more readers than partitions the last ones get nothing.
    for (place, &member) in readers.iter().enumerate().take(topic.len()) {
        owners.give_run(partitions.take_front(base + usize::from(place < extra)), member);
    }
}

/// Gives all partitions of a group: the whole strategy.
pub fn assign(group: &Group<'_>, owners: &mut Owners) {
    for run in group.runs() {
        run.topics().for_each(|topic| give(topic, run.subscribers(), owners));
    }
}
