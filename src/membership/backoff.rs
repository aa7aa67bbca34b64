//! Waits that double with each failure in a row, and the chance that spreads them, from entropy that was given.

use std::time::Duration;

use super::limits::{FIRST_BACKOFF, LONGEST_BACKOFF};

/// A small generator (SplitMix64) over given entropy: a fleet that fails together must not return together.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// From entropy that the shell drew.
    pub fn new(entropy: u64) -> Self {
        Self(entropy)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Any duration below this one, in whole milliseconds.
    pub fn below(&mut self, bound: Duration) -> Duration {
        let ms = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX).max(1);
        Duration::from_millis(self.next() % ms)
    }

    /// This duration, up to a fifth shorter or longer.
    pub fn around(&mut self, middle: Duration) -> Duration {
        middle * 4 / 5 + self.below(middle * 2 / 5)
    }
}

/// Counts the failures in a row.
#[derive(Clone, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// One more failure: how long to wait now.
    pub fn fail(&mut self, dice: &mut Dice) -> Duration {
        let doubled = FIRST_BACKOFF.saturating_mul(1 << self.failures.min(16));
        self.failures = self.failures.saturating_add(1);
        dice.around(doubled.min(LONGEST_BACKOFF))
    }

    /// One more failure of a kind that is ordinary once: the first in a row waits for nothing.
    pub fn hurry(&mut self, dice: &mut Dice) -> Duration {
        let wait = self.fail(dice);
        if self.failures == 1 { Duration::ZERO } else { wait }
    }

    /// How many failed since the last that worked.
    pub fn in_a_row(&self) -> u32 {
        self.failures
    }

    /// It worked: the next failure is the first again.
    pub fn succeed(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound_and_begin_anew_after_a_success() {
        let (mut backoff, mut dice) = (Backoff::default(), Dice::new(7));
        let waits: Vec<_> = (0..12).map(|_| backoff.fail(&mut dice)).collect();
        assert!(waits[0] >= FIRST_BACKOFF * 4 / 5 && waits[0] <= FIRST_BACKOFF * 6 / 5, "{waits:?}");
        assert!(waits[11] >= LONGEST_BACKOFF * 4 / 5 && waits[11] <= LONGEST_BACKOFF * 6 / 5, "{waits:?}");
        backoff.succeed();
        assert!(backoff.fail(&mut dice) <= FIRST_BACKOFF * 6 / 5);
    }

    #[test]
    fn two_members_wait_differently() {
        let mut waits = [1, 2].map(|entropy| Dice::new(entropy).around(Duration::from_secs(10)));
        waits.sort();
        assert_ne!(waits[0], waits[1]);
    }
}
