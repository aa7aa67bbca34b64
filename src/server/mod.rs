//! `divvy serve`: sockets, shards and the APIs.

pub mod config;
pub mod topics;
