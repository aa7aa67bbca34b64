//! Write an assignment strategy for divvy: one function, compiled to WebAssembly.
//!
//! This is a whole strategy, `examples/hello.rs`:
//!
//! ```
#![doc = include_str!("../examples/hello.rs")]
//! ```
//!
//! In a crate with `crate-type = ["cdylib", "rlib"]`, this makes it a module:
//!
//! ```text
//! export RUSTFLAGS="-Clink-arg=-zstack-size=65536 -Clink-arg=--initial-memory=2097152"
//! cargo build --release --target wasm32-unknown-unknown
//! ```
//!
//! The small stack matters: Rust's default of 1 MiB would be touched and cleared for every call. So do the 2 MiB of memory to begin with:
//! they cost nothing until they are touched, while a call that asks for more waits for the operating system. `opt-level = 3`, `lto = "fat"`,
//! `codegen-units = 1`, `panic = "abort"` and `strip = "debuginfo"` in the profile make a module small and
//! fast, and keep the names of its functions, by which faults are told.
//!
//! * [`Group`] shows topics, partitions, members, their racks and facts, and what they had before, all read where the host put it.
//! * [`Owners`] writes the plan where the host will read it.
//! * [`StateGroup`] and [`States`] do the same for strategies that hand each member bytes of the application's own.
//! * [`strategy`] has the classic strategies as building blocks for your own.
//! * [`assignor!`] makes the function a module: exports, manifest, panic text. Outside of WebAssembly it only makes the manifest,
//!   so that the same function runs in ordinary tests; the module `testing` (feature `testing`) builds groups for them.
//!
//! Three things keep a strategy fast: fill flat arrays by [`Partition::index`] and [`Member::index`], not maps by name; give runs
//! ([`Owners::give_run`], [`Owners::deal`]), not single partitions, where you can; keep `format!` out of loops.
//! Two keep it the same on every machine: no clock but [`Group::now_ms`], no randomness but [`Group::seed`].
//!
//! Two features are on by default and change nothing but the time of a call: `memory`, an allocator, is off for whoever brings another
//! `#[global_allocator]`; `compare`, which has `memcmp` and `bcmp`, for whoever links a C library that brings them as well
//! ("duplicate symbol: memcmp").

pub mod abi;
#[cfg(any(test, all(target_arch = "wasm32", feature = "compare")))]
mod bytes;
#[cfg(any(doc, test))]
pub mod docs;
mod group;
mod macros;
mod outcome;
mod owners;
pub mod prelude;
mod refusal;
#[doc(hidden)]
pub mod run;
#[cfg(any(test, all(target_arch = "wasm32", feature = "memory")))]
mod sizes;
mod states;
pub mod strategy;
#[cfg(feature = "testing")]
pub mod testing;
mod user_data;
mod values;
#[doc(hidden)]
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use abi::Mode;
pub use abi::reply::Level;
pub use group::{Group, Member, Partition, Partitions, ReplicaRacks, Run, Topic};
#[doc(hidden)]
pub use macros::manifest;
pub use owners::Owners;
pub use refusal::Refusal;
pub use run::{AssignPartitions, AssignStates, CheckStates, MakeUserData};
pub use states::{StateGroup, StateMember, States};
pub use user_data::Me;
pub use values::{Values, bad as bad_setting};
