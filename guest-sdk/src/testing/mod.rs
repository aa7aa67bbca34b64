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
//! A test goes the whole way from the bytes of a request to the bytes of a reply; only the sandbox is missing. Enable the feature
//! `testing` in `[dev-dependencies]`.

mod dice;
mod group;
pub mod laws;
mod plan;
mod states;

pub use dice::{Dice, random_group};
pub use group::{Entry, TestGroup, TestMember};
pub use plan::{Refused, TestPlan};
pub use states::{TestStates, TestStatesPlan};
