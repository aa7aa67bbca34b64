//! Building blocks: the classic strategies as functions over topics, members and [`Owners`](crate::Owners).
//!
//! The modules that divvy ships are thin users of them, and yours may be another: take one as it is for some topics and write
//! your own for the rest, or change what comes before and after it. Topics and members that a block is not given it does not
//! touch, so blocks can follow each other in one plan.
//!
//! * [`range`]: of each topic every reader gets one run of consecutive partitions.
//! * [`copartition`]: partitions of one number of several topics go to one member.
//! * [`round_robin`]: one cursor over the members deals out all partitions like cards.
//! * [`single_writer`]: one member for everything, or for each topic.
//! * [`sticky`]: as even as subscriptions allow, and what moves for that is the least that there is.
//! * [`even`]: shares in proportion to weights, with as few moves as that allows.
//! * [`loads`]: partitions of different size, the longest first.
//! * [`order`]: sorted keys and queues.
//! * [`pools`]: topics that the same members read.
//!
//! ```
//! use divvy_guest::prelude::*;
//! use divvy_guest::strategy::{range, round_robin};
//!
//! /// Topics of keyed data stay aligned, the others are spread.
//! fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
//!     let keyed = |topic: &Topic<'_>| topic.name().starts_with("keyed.");
//!     for topic in group.topics().filter(keyed) {
//!         range::give(topic, &topic.subscribers(), owners);
//!     }
//!     round_robin::give_all(group, group.topics().filter(|topic| !keyed(topic)), owners);
//!     Ok(())
//! }
//! # use divvy_guest::testing::TestGroup;
//! # let group = TestGroup::new().topic("keyed.a", 4).topic("b", 1).topic("c", 1).members(2);
//! # let plan = group.plan(assign).expect("a plan");
//! # assert_eq!((plan.of("m-00", "keyed.a"), plan.of("m-01", "c")), (&[0, 1][..], &[0][..]));
//! ```

pub mod copartition;
pub mod even;
pub mod loads;
pub mod order;
pub mod pools;
pub mod range;
pub mod round_robin;
pub mod single_writer;
pub mod sticky;
