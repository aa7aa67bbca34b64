//! How long things take in a simulated life: a model of the protocol in a few numbers, so that time without an owner can be
//! added up.
//!
//! A rebalance begins when somebody joins, leaves, is given up or has something new to say. The others are told with their
//! heartbeats, which are spread evenly over one interval. Eager members finish all that they have (`drain`) and join;
//! cooperative ones go on and join. When all have joined (a round trip after the last of them) the leader plans (`plan`), and
//! a round trip later everybody has its share. A cooperative member that lost something finishes it (`drain`) and joins again,
//! which is the second round, and only there somebody else gets it. Who crashed is missed when its session ends; a rebalance
//! meanwhile waits for it until then, unless it comes back under a lasting name.

use serde::Serialize;

/// The times, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Times {
    /// One request and its answer.
    pub round_trip_ms: u64,
    /// Between two heartbeats of a member: so much later the last one learns of a rebalance. At a divvy coordinator, which
    /// tells its own members at once, it is 0.
    pub heartbeat_ms: u64,
    /// What a member needs to finish what it gives up.
    pub drain_ms: u64,
    /// What the leader needs for a plan, around the module's call.
    pub plan_ms: u64,
    /// How long a member that says nothing is waited for.
    pub session_ms: u64,
    /// How long a restarted process is away.
    pub away_ms: u64,
    /// How long an empty group waits for more members.
    pub first_wait_ms: u64,
    /// Between the end of a step and the next one. Nothing is counted in it.
    pub between_ms: u64,
}

impl Default for Times {
    /// Kafka's defaults where there are such, and a quick process.
    fn default() -> Self {
        Self {
            round_trip_ms: 5,
            heartbeat_ms: 3_000,
            drain_ms: 500,
            plan_ms: 5,
            session_ms: 45_000,
            away_ms: 10_000,
            first_wait_ms: 3_000,
            between_ms: 60_000,
        }
    }
}
