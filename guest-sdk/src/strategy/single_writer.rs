//! One writer for everything, or for each topic. Whoever writes goes on; staying outranks evenness.
//!
//! ```
//! use divvy_guest::prelude::*;
//! use divvy_guest::strategy::{round_robin, single_writer};
//!
//! /// Ledgers have one writer each, everything else is spread.
//! fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
//!     let is_ledger = |topic: &Topic<'_>| topic.name().starts_with("ledger.");
//!     single_writer::give_each(group, group.topics().filter(is_ledger), owners);
//!     round_robin::give_all(group, group.topics().filter(|topic| !is_ledger(topic)), owners);
//!     Ok(())
//! }
//! # use divvy_guest::testing::TestGroup;
//! # let plan = TestGroup::new().topic("ledger.a", 3).topic("ledger.b", 2).members(2).plan(assign).expect("a plan");
//! # assert_eq!((plan.of("m-00", "ledger.a"), plan.of("m-01", "ledger.b")), (&[0, 1, 2][..], &[0, 1][..]));
//! ```

use crate::strategy::order::{self, Lowest};
use crate::{Group, Member, Owners, Partitions, Refusal, Topic};

/// Gives everything to one member: of those that read all topics who had most of the partitions, else the first in member order. Refuses
/// when there is none.
pub fn give_all(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let mut able: Vec<Member<'_>> = group.members_in_kafkas_order().collect();
    let mut before: Option<Topic<'_>> = None;
    for topic in group.topics().filter(|topic| topic.len() > 0) {
        // A topic that nobody reads is nobody's to write.
        if !before.is_some_and(|before| before.has_same_subscribers(topic)) && !topic.subscribers().is_empty() {
            able.retain(|member| member.subscribes(topic));
            if able.is_empty() {
                return Err(without_reader(topic));
            }
        }
        before = Some(topic);
    }
    let most = Holders::new(group).most(group.partitions(), &able);
    let Some(writer) = most.or(able.first().copied()) else { return Ok(()) };
    for topic in group.topics().filter(|&topic| writer.subscribes(topic)) {
        owners.give_run(topic.partitions(), writer);
    }
    Ok(())
}

/// Gives each topic to one member: topics that somebody has stay there; the others go to the reader with the fewest topics, ties to member
/// order.
pub fn give_each<'g>(group: &'g Group<'_>, topics: impl IntoIterator<Item = Topic<'g>>, owners: &mut Owners) {
    let mut holders = Holders::new(group);
    let mut topics_of = vec![0_u32; group.members().len()];
    let mut free = Vec::new();
    let mut readers = Readers::default();
    for topic in topics.into_iter().filter(|topic| topic.len() > 0) {
        match holders.most(topic.partitions(), readers.of(topic)) {
            Some(writer) => {
                topics_of[writer.index()] += 1;
                owners.give_run(topic.partitions(), writer);
            }
            None => free.push(topic),
        }
    }
    // Readers by their topics; a key may be too low, since topics only become more.
    let mut lightest: Option<(Topic<'g>, Lowest)> = None;
    for topic in free {
        let (_, queue) = match &mut lightest {
            Some(of) if of.0.has_same_subscribers(topic) => of,
            of => {
                let key = |reader: &Member<'_>| {
                    let index = reader.index() as u32;
                    order::key(u64::from(topics_of[reader.index()]), reader.place() as u32, index)
                };
                of.insert((topic, Lowest::of(readers.of(topic).iter().map(key).collect())))
            }
        };
        while let Some(lowest) = queue.peek() {
            let writer = group.member(order::third(lowest) as usize);
            let has = &mut topics_of[writer.index()];
            let is_right = u64::from(*has) == order::first(lowest);
            *has += u32::from(is_right);
            queue.replace(Some(order::key(u64::from(*has), writer.place() as u32, writer.index() as u32)));
            if is_right {
                owners.give_run(topic.partitions(), writer);
                break;
            }
        }
    }
}

/// Who has most of some partitions, as far as anyone still knows.
struct Holders<'g> {
    group: &'g Group<'g>,
    /// Claimed partitions by member index; all zero between two questions.
    counts: Vec<u32>,
    touched: Vec<usize>,
}

impl<'g> Holders<'g> {
    fn new(group: &'g Group<'_>) -> Self {
        Holders { group, counts: vec![0; group.members().len()], touched: Vec::new() }
    }

    /// Which of the members that may had most of these partitions last, ties by the order in which they come.
    fn most<'m>(&mut self, partitions: Partitions, able: &[Member<'m>]) -> Option<Member<'m>> {
        if self.group.claim_layers() == 0 {
            return None;
        }
        for member in partitions.filter_map(|partition| self.group.owner_before(partition)) {
            if self.counts[member.index()] == 0 {
                self.touched.push(member.index());
            }
            self.counts[member.index()] += 1;
        }
        let count = |member: &&Member<'_>| self.counts[member.index()];
        let most = able.iter().rev().filter(|member| count(member) > 0).max_by_key(count).copied();
        self.touched.drain(..).for_each(|index| self.counts[index] = 0);
        most
    }
}

/// The readers of the topic at hand; topics that follow each other mostly have the same.
#[derive(Default)]
struct Readers<'g> {
    of: Option<(Topic<'g>, Vec<Member<'g>>)>,
}

impl<'g> Readers<'g> {
    fn of(&mut self, topic: Topic<'g>) -> &[Member<'g>] {
        let readers = match self.of.take() {
            Some((before, readers)) if before.has_same_subscribers(topic) => readers,
            _ => topic.subscribers(),
        };
        &self.of.insert((topic, readers)).1
    }
}

fn without_reader(topic: Topic<'_>) -> Refusal {
    let mut text =
        String::from("no member reads all topics of the group, so none can be its only writer; the search ends at ");
    text.push_str(topic.name());
    text.push_str(": subscribe to the same topics, or write config.scope = \"topic\"");
    Refusal::new("no_full_reader", text)
}
