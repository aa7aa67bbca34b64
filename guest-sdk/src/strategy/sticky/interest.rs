//! Who reads what, without names: topics that the same members read are one class, members that read the same topics one kind.
//! In most groups there is one of each, and what is decided for classes and kinds costs nothing beside their partitions.

use super::limits::MAX_PAIRS;
use super::tables::{Bits, Lists, NONE, Sets, first, second};
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
    /// Looks at the topics that are asked for and have partitions; what nobody reads has no class, and who reads nothing no kind. Nothing
    /// if there are more classes and kinds than can be told apart.
    pub fn of(group: &Group<'_>, asked: Option<&[bool]>) -> Option<Self> {
        let request = group.request();
        let mut takes_part = vec![0_u64; request.topics.len().div_ceil(64)];
        for (at, topic) in request.topics.iter().enumerate() {
            let yes = topic.partitions > 0 && asked.is_none_or(|asked| asked[at]);
            takes_part[at / 64] |= u64::from(yes) << (at % 64);
        }
        let mut kinds: Vec<u32> = group.used().iter().map(|&used| if used { 0 } else { NONE }).collect();
        let mut subscriptions = Vec::new();
        let mut row = takes_part.clone();
        for (kind, subscription) in kinds.iter_mut().zip(&request.subscriptions).filter(|(kind, _)| **kind == 0) {
            lay_out(subscription, &takes_part, &mut row);
            *kind = NONE;
            if row.iter().any(|&word| word != 0) {
                *kind = subscriptions.len() as u32;
                subscriptions.push(subscription);
            }
        }
        let (class_of, firsts) = classes(request.topics.len(), &subscriptions, &takes_part);
        if firsts.len().saturating_mul(subscriptions.len()) > MAX_PAIRS {
            return None;
        }
        let mut readers = Bits::new(firsts.len(), subscriptions.len());
        each_block(&subscriptions, &takes_part, |block, of_topic| {
            for (class, &first) in (0..).zip(&firsts) {
                readers.set_word(class, block, of_topic[first as usize]);
            }
        });
        let mut supply = vec![0; firsts.len()];
        for (&class, topic) in class_of.iter().zip(&request.topics).filter(|(class, _)| **class != NONE) {
            supply[class as usize] += topic.partitions;
        }
        let (members, subscription_of) = group.subscriptions_in_order();
        let kind_of: Vec<u32> = subscription_of.iter().map(|&subscription| kinds[subscription as usize]).collect();
        Some(Interest {
            topics: Lists::positions(firsts.len(), &class_of),
            members: Lists::by_key(subscriptions.len(), &kind_of, members),
            supply,
            readers,
        })
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

/// The class of each topic, and the first topic of each class. 64 subscriptions after another split the classes of topics that they
/// tell apart.
fn classes(topics: usize, subscriptions: &[&Subscription<'_>], takes_part: &[u64]) -> (Vec<u32>, Vec<u32>) {
    // Class 0 is of topics that nobody reads so far; a new class has a number that no class had before.
    let mut class_of = vec![0_u32; topics];
    let mut next = 1;
    each_block(subscriptions, takes_part, |_, of_topic| {
        let mut told_apart = Sets::default();
        for (class, &readers) in class_of.iter_mut().zip(of_topic).filter(|(_, readers)| **readers != 0) {
            *class = next + told_apart.number(&[*class, first(readers), second(readers)]);
        }
        next += told_apart.len() as u32;
    });
    // Numbered through by name, so that the numbers do not depend on how the classes came about.
    let mut numbers = Sets::default();
    let mut firsts = Vec::new();
    for (topic, class) in (0..).zip(&mut class_of) {
        *class = if *class == 0 { NONE } else { numbers.number(&[*class]) };
        if *class as usize == firsts.len() {
            firsts.push(topic);
        }
    }
    (class_of, firsts)
}

/// Calls with each 64 subscriptions: for every topic which of them have it, as bits.
fn each_block(subscriptions: &[&Subscription<'_>], takes_part: &[u64], mut found: impl FnMut(usize, &[u64])) {
    let words = takes_part.len();
    let mut rows = vec![0; 64 * words];
    let mut of_topic = vec![0; 64 * words];
    for (block, subscriptions) in subscriptions.chunks(64).enumerate() {
        let mut each = subscriptions.iter();
        for row in rows.chunks_exact_mut(words.max(1)) {
            match each.next() {
                Some(subscription) => lay_out(subscription, takes_part, row),
                None => row.fill(0),
            }
        }
        for word in 0..words {
            let square: &mut [u64; 64] = &mut std::array::from_fn(|row| rows[row * words + word]);
            transpose(square);
            of_topic[64 * word..][..64].copy_from_slice(square);
        }
        found(block, &of_topic);
    }
}

/// The topics of a subscription that take part, as bits.
fn lay_out(subscription: &Subscription<'_>, takes_part: &[u64], row: &mut [u64]) {
    row.fill(0);
    match subscription {
        Subscription::Ranges(ranges) => {
            for &(start, end) in ranges.iter().filter(|(start, end)| start < end) {
                let (from, to) = (start as usize / 64, (end as usize - 1) / 64);
                for (at, word) in (from..).zip(&mut row[from..=to]) {
                    // Ranges may share a word: each adds its bits.
                    let first = if at == from { start % 64 } else { 0 };
                    let last = if at == to { (end - 1) % 64 } else { 63 };
                    *word |= u64::MAX << first & u64::MAX >> (63 - last);
                }
            }
        }
        Subscription::Bits(bits) => {
            for (word, bytes) in row.iter_mut().zip(bits.chunks(8)) {
                (0..).zip(bytes).for_each(|(at, &byte)| *word |= u64::from(byte) << (8 * at));
            }
        }
    }
    row.iter_mut().zip(takes_part).for_each(|(word, takes_part)| *word &= takes_part);
}

/// Turns a square of bits over: bit `c` of word `r` becomes bit `r` of word `c`. Ever smaller quarters change places.
fn transpose(square: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::MAX >> 32);
    while width > 0 {
        let mut at = 0;
        while at < 64 {
            let swap = (square[at] >> width ^ square[at + width]) & mask;
            square[at] ^= swap << width;
            square[at + width] ^= swap;
            at = (at + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}
