//! All chance of a run, from one seed.

/// A small generator (SplitMix64): the same seed throws the same on every machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` up to and including `high`.
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.draw() % (high - low + 1)
    }

    /// True in so many of a hundred throws.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.draw() % 100 < percent
    }

    pub fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.within(0, among.len() as u64 - 1) as usize].clone()
    }

    /// Mostly small, now and then large: how long things take.
    pub fn tail(&mut self, usual: u64, rare: u64) -> u64 {
        if self.percent(4) { self.within(usual, rare.max(usual)) } else { self.within(0, usual) }
    }
}
