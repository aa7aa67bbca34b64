//! Order and queues of one kind of key: every other kind would be another copy of the code in a module.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A key that compares by a number, then by another, then by a third.
#[inline]
pub fn key(first: u64, second: u32, third: u32) -> u128 {
    u128::from(first) << 64 | u128::from(second) << 32 | u128::from(third)
}

/// The number that a key compares by first.
#[inline]
pub fn first(key: u128) -> u64 {
    (key >> 64) as u64
}

/// The number that a key compares by last.
#[inline]
pub fn third(key: u128) -> u32 {
    key as u32
}

/// Sorts keys.
#[inline(never)]
pub fn sort(keys: &mut [u128]) {
    keys.sort_unstable();
}

/// A queue whose lowest key comes first.
#[derive(Clone, Debug, Default)]
pub struct Lowest(BinaryHeap<Reverse<u128>>);

impl Lowest {
    /// A queue of keys.
    #[inline(never)]
    pub fn of(keys: Vec<u128>) -> Self {
        Lowest(BinaryHeap::from_iter(keys.into_iter().map(Reverse)))
    }

    /// The lowest key.
    #[inline]
    pub fn peek(&self) -> Option<u128> {
        self.0.peek().map(|key| key.0)
    }

    /// Takes the lowest key out.
    #[inline(never)]
    pub fn pop(&mut self) -> Option<u128> {
        self.0.pop().map(|key| key.0)
    }

    /// Adds a key.
    #[inline(never)]
    pub fn push(&mut self, key: u128) {
        self.0.push(Reverse(key));
    }

    /// Another key instead of the lowest one, or none.
    #[inline(never)]
    pub fn replace(&mut self, key: Option<u128>) {
        if let Some(mut lowest) = self.0.peek_mut() {
            match key {
                Some(key) => lowest.0 = key,
                None => drop(PeekMut::pop(lowest)),
            }
        }
    }
}
