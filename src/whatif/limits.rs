//! Every bound and default of a simulated life, with the reason for it.

/// Members at one time: as many as the largest group that plans are measured with.
pub const MAX_MEMBERS: usize = 2_000;

/// Partitions of all topics together: each is followed by itself, through every round.
pub const MAX_PARTITIONS: u64 = 200_000;

/// Topics: more than any group reads.
pub const MAX_TOPICS: usize = 2_000;

/// Steps of a life: more are no chart any more.
pub const MAX_STEPS: usize = 500;

/// Places of members and partitions in all generations of all strategies together: a million of them take up to ten seconds with
/// a quick strategy, so this is half an hour at most.
pub const MAX_EFFORT: u64 = 200_000_000;

/// Modules at once: more lines cannot be told apart, by colour or by anything else.
pub const MAX_MODULES: usize = 8;

/// A script: a thousand times as long as what anybody writes by hand.
pub const MAX_SCRIPT_BYTES: u64 = 1024 * 1024;

/// Rounds of one happening. A group that hands over in steps comes to rest in two or three; one that does not within this
/// never does, and it is said.
pub const MAX_ROUNDS: usize = 16;

/// How often a strategy that wants to be called again is, in one step: a strategy that asks every minute would never let the
/// step end.
pub const MAX_CALLS_AGAIN: usize = 4;

/// The longest time of the model, in milliseconds: a day.
pub const MAX_TIME_MS: u64 = 24 * 60 * 60 * 1_000;

/// The wall clock at the beginning of each life. Any would do; the same one makes the same life.
pub const WALL_MS: i64 = 1_700_000_000_000;

/// Whether so many partitions of one topic can be played at all: asked before anything is made of the number.
pub(super) fn fits(partitions: u64) -> Result<(), String> {
    match partitions {
        0..=MAX_PARTITIONS => Ok(()),
        more => Err(format!("{more} partitions: at most {MAX_PARTITIONS} are played")),
    }
}
