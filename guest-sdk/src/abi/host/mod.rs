//! The host's half: requests from plain values into a vector that is used again, and replies read in place.

mod replies;
mod requests;

pub use replies::{Body, Expected, PartitionsPlan, Reply, StatesPlan, parse_reply};
pub use requests::{Head, Member, PartitionsRequest, StateMember, StatesRequest, Topic, UserDataRequest, write_check};
