//! Who reads what, without names: topics that the same members read are one class, members that read the same topics one kind.
//! In most groups there is one of each, and what is decided for classes and kinds costs nothing beside their partitions.

use super::tables::{Bits, Lists, NONE};
use crate::Group;
use crate::abi::request::Subscription;

/// The classes and kinds of a group.
pub struct Interest {
    /// The topics of each class, by name.
    pub topics: Lists,
    /// The members of each kind, in Kafka's order.
    pub members: Lists,
    /// The partitions of each class.
    pub supply: Vec<u32>,
    /// Which kinds read a class.
    pub readers: Bits,
}

impl Interest {
    /// Looks at the topics that are asked for and have partitions; what nobody reads has no class, and who reads nothing no kind.
    pub fn of(group: &Group<'_>, asked: Option<&[bool]>) -> Self {
        let request = group.request();
        let topics = request.topics.len();
        let takes_part = |topic: u32| {
            let row = request.topics.get(topic as usize);
            row.is_some_and(|row| row.partitions > 0) && asked.is_none_or(|asked| asked[topic as usize])
        };
        let mut kinds = vec![NONE; request.subscriptions.len()];
        request.members.iter().for_each(|member| kinds[member.subscription as usize] = 0);
        let mut subscriptions = Vec::new();
        for (kind, subscription) in kinds.iter_mut().zip(&request.subscriptions).filter(|(kind, _)| **kind == 0) {
            let mut reads = false;
            each(subscription, |topic| reads |= takes_part(topic));
            *kind = if reads { subscriptions.len() as u32 } else { NONE };
            if reads {
                subscriptions.push(subscription);
            }
        }
        let (class_of, classes) = classes(topics, &subscriptions, takes_part);
        let mut readers = Bits::new(classes, subscriptions.len());
        for (kind, subscription) in (0..).zip(&subscriptions) {
            each(subscription, |topic| {
                if let Some(&class) = class_of.get(topic as usize).filter(|class| **class != NONE) {
                    readers.set(class, kind);
                }
            });
        }
        let mut supply = vec![0; classes];
        for (&class, topic) in class_of.iter().zip(&request.topics).filter(|(class, _)| **class != NONE) {
            supply[class as usize] += topic.partitions;
        }
        let kind_of = |member: u32| kinds[request.members[member as usize].subscription as usize];
        let members = group.members_in_kafkas_order().map(|member| member.index() as u32);
        Interest {
            topics: Lists::by_key(classes, class_of.iter().copied().zip(0..)),
            members: Lists::by_key(subscriptions.len(), members.map(|member| (kind_of(member), member))),
            supply,
            readers,
        }
    }

    /// How many kinds there are.
    pub fn kinds(&self) -> usize {
        self.members.keys()
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.supply.len()
    }
}

/// The class of each topic, and how many there are. One subscription after another splits the classes of the topics that it names
/// from those that it does not, which takes as long as reading the subscriptions.
fn classes(topics: usize, subscriptions: &[&Subscription<'_>], takes_part: impl Fn(u32) -> bool) -> (Vec<u32>, usize) {
    // Class 0 stays with the topics that nobody reads. Classes that became empty are used again: there are never more than topics.
    let mut class_of = vec![0_u32; topics];
    let mut sizes = vec![topics as u32];
    let mut split = vec![NONE];
    let mut unused = Vec::new();
    let mut touched = Vec::new();
    for subscription in subscriptions {
        each(subscription, |topic| {
            if !takes_part(topic) {
                return;
            }
            let class = class_of[topic as usize] as usize;
            if split[class] == NONE {
                touched.push(class);
                split[class] = unused.pop().unwrap_or(sizes.len() as u32);
                if split[class] as usize == sizes.len() {
                    sizes.push(0);
                    split.push(NONE);
                }
            }
            let new = split[class];
            sizes[class] -= 1;
            sizes[new as usize] += 1;
            class_of[topic as usize] = new;
        });
        for class in touched.drain(..) {
            split[class] = NONE;
            if sizes[class] == 0 && class != 0 {
                unused.push(class as u32);
            }
        }
    }
    // Numbered through in the order of their first topics, so that the numbers of a plan do not depend on how it came about.
    let mut number = vec![NONE; sizes.len()];
    let mut classes = 0;
    for class in &mut class_of {
        if *class == 0 {
            *class = NONE;
            continue;
        }
        let number = &mut number[*class as usize];
        if *number == NONE {
            *number = classes;
            classes += 1;
        }
        *class = *number;
    }
    (class_of, classes as usize)
}

/// Calls with each topic of a subscription.
#[inline]
fn each(subscription: &Subscription<'_>, mut found: impl FnMut(u32)) {
    match subscription {
        Subscription::Ranges(ranges) => ranges.iter().for_each(|&(start, end)| (start..end).for_each(&mut found)),
        Subscription::Bits(bits) => {
            for (at, &byte) in bits.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                (0..8).filter(|bit| byte >> bit & 1 == 1).for_each(|bit| found(at as u32 * 8 + bit));
            }
        }
    }
}
