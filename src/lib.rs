//! divvy: group coordination whose assignment strategies are plug-ins.
#![doc = include_str!("ARCHITECTURE.md")]

// floor 0
pub mod embedded;
pub mod ids;
mod text;
pub mod time;
pub mod topics;
pub mod wire;
// floor 1
pub mod assignor;
pub mod coordinator;
pub mod group;
pub mod lead;
pub mod membership;
pub mod whatif;
// floor 2
pub mod sandbox;
pub mod store;
// floor 3
pub mod admin;
pub mod client;
pub mod peer;
pub mod server;
// floor 4
#[doc(hidden)]
pub mod cli;

pub use client::Member;
