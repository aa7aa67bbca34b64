//! Floor 0 of divvy, and what reads captures: what a peer's bytes meet first.
#![allow(missing_docs, dead_code, reason = "the rest of divvy, which uses it all, is not here")]

#[path = "../../../src/assignor/mod.rs"]
pub mod assignor;
#[path = "../../../src/embedded/mod.rs"]
pub mod embedded;
#[path = "../../../src/ids.rs"]
pub mod ids;
#[path = "../../../src/text.rs"]
pub mod text;
#[path = "../../../src/time.rs"]
pub mod time;
#[path = "../../../src/topics.rs"]
pub mod topics;
#[path = "../../../src/wire/mod.rs"]
pub mod wire;
