//! Native tests of a strategy: a group in a few lines, the same function, its plan, and laws to assert.
//!
//! ```
//! use divvy_guest::prelude::*;
//! use divvy_guest::testing::{TestGroup, TestMember, laws};
//!
//! fn deal(group: &Group, owners: &mut Owners) -> Result<(), Refusal> {
//!     for topic in group.topics() {
//!         owners.deal(topic.partitions(), &topic.subscribers(), 0);
//!     }
//!     Ok(())
//! }
//!
//! let group = TestGroup::new()
//!     .topic("clicks", 4)
//!     .member(TestMember::new("a").reads(["clicks"]))
//!     .member(TestMember::new("b").reads(["clicks"]).rack("eu-1a").fact("weight", 2.0));
//! let plan = group.plan(deal).expect("a plan");
//! assert_eq!(plan.of("b", "clicks"), [1, 3]);
//! laws::whole(&group, &plan);
//! laws::balanced(&plan, 1);
//! ```
//!
//! [`laws!`](crate::laws) tries a strategy's promises on many random groups, a line for each strategy, and shows the smallest group
//! that breaks one. Its parts are for other hosts of a strategy, too: [`Law`] judges, [`Search`] finds, [`shrink`] makes small.
//!
//! A test goes the whole way from the bytes of a request to the bytes of a reply; only the sandbox is missing. Enable the feature
//! `testing` in `[dev-dependencies]`.

mod dice;
mod entry;
mod group;
mod json;
mod law;
pub mod laws;
mod life;
mod macros;
mod plan;
mod print;
mod quiet;
mod search;
mod shrink;
mod state_laws;
mod states;
mod wire;

pub use dice::{Dice, random_group};
pub use entry::Entry;
pub use group::{TestGroup, TestMember};
pub use json::case;
pub use law::{Broken, Law, Planner};
pub use life::lively_group;
#[doc(hidden)]
pub use macros::{named, named_states};
pub use plan::{NoPlan, Refused, TestPlan};
pub use print::{rust, table};
pub use search::{Counterexample, GROUPS, SEED, Search, hold};
pub use shrink::{TRIES, shrink};
pub use state_laws::{StateCounterexample, StateLaw, StatePlanner, hold_states, random_states};
pub use states::{TestStates, TestStatesPlan};
