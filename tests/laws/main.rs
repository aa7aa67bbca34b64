//! Laws: what holds for every input, tried on generated ones.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise, its helpers included")]

#[macro_use]
mod schema;

mod backlog;
mod captures;
mod corpus;
mod counting;
mod heartbeat;
mod hostile;
mod operations;
mod oracle;
mod proposal;
mod restore;
mod tags;
mod thrift;
mod wakes;

/// The tables of `src/wire/messages` are read again by [`schema`]; they name their types from here.
mod wire {
    pub use divvy::wire::{ErrorCode, Text};
}
