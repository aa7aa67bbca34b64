//! The SDK of divvy's assignors.

pub mod abi;
