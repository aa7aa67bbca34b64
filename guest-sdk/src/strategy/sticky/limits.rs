//! Every bound of a sticky plan, with the reason for it.

/// Steps of searching for chains: well below a second in the sandbox, and far above what groups that people run ever need. Beyond it
/// the plan is whole, and perhaps not as even as it could be; it says so.
pub const MAX_STEPS: u64 = 60_000_000;

/// Pairs of a class of topics and a kind of subscription that are looked at as bits (32 MiB).
pub const MAX_PAIRS: usize = 1 << 28;

/// Readers of all topics that are listed to plan as Kafka does (16 MiB): as many as a thousand topics with four thousand members have.
pub const MAX_READERS: usize = 1 << 22;

/// What is left of a bounded amount of work.
#[derive(Debug)]
pub struct Work(u64);

impl Work {
    /// A whole budget.
    pub fn new() -> Self {
        Work(MAX_STEPS)
    }

    /// Takes some; whether there was so much.
    #[inline]
    pub fn spend(&mut self, steps: usize) -> bool {
        self.0 = self.0.saturating_sub(steps as u64);
        self.0 > 0
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        self.0 == 0
    }
}
