//! What a life cost: by step and in all, for each strategy.

use serde::Serialize;

use super::subject::Bill;
use super::times::Times;

/// The whole answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The seed of a random life.
    pub seed: Option<u64>,
    /// The group whose state was the start.
    pub from_group: Option<String>,
    /// The times of the model.
    pub times: Times,
    /// Members and partitions at the beginning.
    pub start: Size,
    /// One life for each strategy, in the order in which they were named.
    pub modules: Vec<Played>,
    /// What is not played, in sentences.
    pub left_out: Vec<String>,
}

/// How large a group is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Size {
    /// Members.
    pub members: usize,
    /// Topics.
    pub topics: usize,
    /// Partitions of all of them.
    pub partitions: u64,
}

/// One strategy's life.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Played {
    /// The name that it was given.
    pub module: String,
    /// The name that its members offer.
    pub protocol: String,
    /// What it is; none for the host's own range.
    pub digest: Option<String>,
    /// `eager` or `cooperative`.
    pub mode: &'static str,
    /// What kind of group.
    pub protocol_type: String,
    /// What stands in for it when it fails, if something was named.
    pub fallback: Option<String>,
    /// Step by step; the first is the start.
    pub steps: Vec<StepReport>,
    /// In all.
    pub total: Total,
    /// What is to be known of this one.
    pub warnings: Vec<String>,
}

/// One step.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct StepReport {
    /// In words, as the script has them.
    pub title: String,
    /// When it began.
    pub at_ms: u64,
    /// How long it took until nothing happened any more.
    pub took_ms: u64,
    /// Generations.
    pub rebalances: usize,
    /// Partitions that came to a member while another had them last.
    pub moved: usize,
    /// Of these, how many did although that other one is still there.
    pub moved_from_present: usize,
    /// Partitions that came to a member and were nobody's before.
    pub new: usize,
    /// Partition-milliseconds without an owner.
    pub unowned_ms: u64,
    /// Partition-milliseconds with two owners that should have been one: 0 unless something is broken.
    pub doubled_ms: u64,
    /// What it left behind.
    pub after: After,
    /// What the strategy's calls cost.
    pub cost: Cost,
    /// How the strategy failed, and what served instead.
    pub faults: Vec<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// The group at the end of a step.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct After {
    /// Members.
    pub members: usize,
    /// Partitions that somebody reads.
    pub partitions: usize,
    /// The fewest that a member has.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// Standard deviation of what members have.
    pub stddev: f64,
    /// The most that two readers of one topic differ by in what they have of it.
    pub topic_spread: usize,
    /// Partitions without an owner.
    pub unowned: usize,
    /// Where racks are known: partitions whose owner is in none of their racks.
    pub rack_mismatches: Option<usize>,
    /// Type `single-writer`: who is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<String>,
}

/// What calls cost.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Cost {
    /// How many.
    pub calls: usize,
    /// Milliseconds in all; none where nobody measured.
    pub ms: Option<f64>,
    /// Bytes that the strategy was asked with.
    pub request_bytes: usize,
    /// Bytes of its replies.
    pub reply_bytes: usize,
    /// The most memory of a call.
    pub memory_bytes: Option<usize>,
}

impl From<Bill> for Cost {
    fn from(bill: Bill) -> Self {
        // Microseconds are what can be measured of a call.
        let ms = bill.took.map(|took| took.as_micros() as f64 / 1_000.0);
        Self {
            calls: bill.calls,
            ms,
            request_bytes: bill.request_bytes,
            reply_bytes: bill.reply_bytes,
            memory_bytes: bill.memory,
        }
    }
}

/// All steps but the start together: a start moves nothing, and what it costs is the same for all.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Total {
    /// Generations.
    pub rebalances: usize,
    /// Partitions that came to a member while another had them last.
    pub moved: usize,
    /// Of these, how many did although that other one is still there.
    pub moved_from_present: usize,
    /// Partition-milliseconds without an owner.
    pub unowned_ms: u64,
    /// Partition-milliseconds with two owners.
    pub doubled_ms: u64,
    /// The largest difference between two members that a step left.
    pub worst_difference: usize,
    /// The largest difference within a topic that a step left.
    pub worst_topic_spread: usize,
    /// The most partitions in a wrong rack that a step left.
    pub worst_rack_mismatches: Option<usize>,
    /// What the calls cost.
    pub cost: Cost,
    /// How often the strategy failed.
    pub faults: usize,
}

impl Total {
    /// Adds up.
    pub(super) fn of(steps: &[StepReport]) -> Self {
        let mut total = Self::default();
        for step in steps.iter().skip(1) {
            total.rebalances += step.rebalances;
            total.moved += step.moved;
            total.moved_from_present += step.moved_from_present;
            total.unowned_ms = total.unowned_ms.saturating_add(step.unowned_ms);
            total.doubled_ms = total.doubled_ms.saturating_add(step.doubled_ms);
            total.worst_difference = total.worst_difference.max(step.after.most - step.after.least);
            total.worst_topic_spread = total.worst_topic_spread.max(step.after.topic_spread);
            total.worst_rack_mismatches = total.worst_rack_mismatches.max(step.after.rack_mismatches);
            total.faults += step.faults.len();
            let (sum, cost) = (&mut total.cost, &step.cost);
            sum.calls += cost.calls;
            sum.request_bytes += cost.request_bytes;
            sum.reply_bytes += cost.reply_bytes;
            sum.memory_bytes = sum.memory_bytes.max(cost.memory_bytes);
            sum.ms = match (sum.ms, cost.ms) {
                (Some(a), Some(b)) => Some(((a + b) * 1_000.0).round() / 1_000.0),
                (a, b) => a.or(b),
            };
        }
        total
    }
}
