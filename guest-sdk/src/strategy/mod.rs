//! Building blocks of strategies: functions over groups and [`Owners`](crate::Owners).
//!
//! * [`order`]: sorted keys and queues.
//! * [`pools`]: topics that the same members read.
//! * [`even`]: shares in proportion to weights, with as few moves as that allows.
//! * [`loads`]: partitions of different size, the longest first.

pub mod even;
pub mod loads;
pub mod order;
pub mod pools;
