//! Sticky plans (KIP-54): as even as subscriptions allow, and as much as that allows stays where it is.
//!
//! What is promised, in this order:
//!
//! 1. Every partition of a topic that somebody reads has one owner, who reads it.
//! 2. Sizes are as even as they can be: no chain of moves, however long, makes two members more equal. With equal subscriptions
//!    they differ by one at most.
//! 3. If racks count ([`Sticky::near_replicas`]), as many partitions as possible are in a rack of one of their replicas.
//! 4. As many partitions as possible stay with their last owner: the number of moves is the least that there is.
//! 5. Where it costs none of that, topics are spread over members.
//!
//! Time and memory grow with the number of partitions, and never with partitions times members; what unequal subscriptions may cost
//! beyond that is bounded (`limits.rs`).
//!
//! ```
//! use divvy_guest::prelude::*;
//! use divvy_guest::strategy::sticky::Sticky;
//!
//! fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
//!     Sticky::new(group).plan(owners)
//! }
//! ```

mod deal;
mod interest;
mod kafka;
mod levels;
mod limits;
mod network;
mod plan;
mod racks;
mod search;
mod tables;

use crate::{Group, Level, Owners, Refusal, Topic};
use interest::Interest;
use kafka::{AsKafka, Missing};
use levels::{Shares, parts};
use limits::Work;
use plan::Planner;
use racks::{LookForRacks, Racks};

#[cfg(all(test, feature = "testing"))]
mod tests;

/// A sticky plan of a group, or of some of its topics.
#[derive(Clone, Debug)]
pub struct Sticky<'g> {
    group: &'g Group<'g>,
    asked: Option<Vec<bool>>,
    shares: Shares,
    look_for_racks: Option<LookForRacks<'g>>,
    /// As a value, as that for racks is.
    as_kafka: Option<AsKafka>,
}

impl<'g> Sticky<'g> {
    /// Of all topics, for members of equal worth.
    pub fn new(group: &'g Group<'g>) -> Self {
        Sticky { group, asked: None, shares: Shares::Even, look_for_racks: None, as_kafka: None }
    }

    /// Plans these topics alone: partitions of others are left as they are, and do not count.
    pub fn topics<'t>(mut self, topics: impl IntoIterator<Item = Topic<'t>>) -> Self {
        let mut asked = vec![false; self.group.topics().len()];
        topics.into_iter().for_each(|topic| asked[topic.index()] = true);
        self.asked = Some(asked);
        self
    }

    /// By member index, how many partitions a member has at most while others that read the same have room. What does not fit anywhere
    /// is shared evenly on top.
    pub fn capacities(mut self, capacities: Vec<u32>) -> Self {
        self.shares = Shares::UpTo(capacities);
        self
    }

    /// Prefers members in a rack of one of a partition's replicas, in sync or not. A member without a rack is near everywhere, and where
    /// no member is in a rack of a partition, or nobody knows its racks, all are equally near. Needs the column `replica_racks`.
    pub fn near_replicas(mut self) -> Self {
        self.look_for_racks = Some(Racks::of);
        self
    }

    /// What `compat` in the group's configuration says: under `kafka` the plan is Kafka 3.9's own, whatever it promises. (Racks count
    /// then as they do there, if the column `replica_racks` is there.)
    pub fn configured(mut self) -> Result<Self, Refusal> {
        match self.group.config().get("compat").map(|mut value| value.text("a text")) {
            None | Some(Ok("none")) => {}
            Some(Ok("kafka")) => self.as_kafka = Some(kafka::plan),
            Some(Ok(other)) => {
                let remedy = ["config: compat is \"", other, "\": write \"kafka\" or \"none\""].concat();
                return Err(Refusal::new("bad_config", remedy));
            }
            Some(Err(_)) => {
                let remedy = "config: compat is not a text: write \"kafka\" or \"none\"";
                return Err(Refusal::new("bad_config", remedy));
            }
        }
        Ok(self)
    }

    /// Gives partitions to members.
    pub fn plan(&self, owners: &mut Owners) -> Result<(), Refusal> {
        if let Some(as_kafka) = self.as_kafka {
            match as_kafka(self.group, owners) {
                Ok(()) => return Ok(()),
                Err(Missing::TooLong) => {
                    owners
                        .note(Level::Warn, "Kafka's own plan would take too long for this group: this one is divvy's");
                }
                Err(Missing::Fails) => {
                    owners.note(Level::Warn, "Kafka's strategy fails for this group: this plan is divvy's");
                }
            }
        }
        let Some(interest) = Interest::of(self.group, self.asked.as_deref()) else {
            let text = "the members read too many different sets of topics: let more of them subscribe to the same";
            return Err(Refusal::new("too_large", text));
        };
        let mut work = Work::new();
        let parts = parts(&interest, &self.shares, &mut work);
        let racks = self.look_for_racks.and_then(|look| look(self.group));
        let mut planner = Planner::new(self.group, &interest, &self.shares, racks);
        for part in &parts {
            planner.plan(part, owners, &mut work);
        }
        if work.is_over() {
            owners.note(
                Level::Warn,
                "too many different subscriptions to look for the most even plan: this one is whole",
            );
        }
        Ok(())
    }
}
