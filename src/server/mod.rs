//! `divvy serve`: sockets, shards and the APIs.
//!
//! Bytes come in through `listener` and `connection` (`reader`, `writer`, `outbox`), become events in `dispatch` and
//! `api`, are handled by a `shard`, made durable by `store_writer`, and go out again in the order of the requests.

mod admin_port;
mod api;
mod clock;
mod cluster;
pub mod config;
mod connection;
mod directory;
mod dispatch;
mod ends;
mod facts;
mod forgetting;
mod handle;
mod lag;
mod large;
mod limits;
mod line;
mod listener;
mod memory;
mod messages;
mod metrics;
mod modules;
mod origins;
mod outbox;
mod places;
mod plan_check;
mod plan_maker;
mod pulse;
mod quiet;
mod reader;
mod registry;
mod reload;
mod scratch;
pub mod settings;
mod shard;
mod shutdown;
mod spawn;
mod start;
mod start_error;
mod store_writer;
mod tickets;
pub mod topics;
mod writer;

pub use handle::{Handle, StillLoading};
pub use reload::Reader;
pub use shutdown::Ended;
pub use start::{Builder, Server, runtime};
pub use start_error::StartError;
