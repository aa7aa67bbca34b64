//! Modules: vectors, the sandbox against hostile ones, and the folder that they come from.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails by it")]

mod abi;
mod address_space;
mod catalog;
mod ceilings;
mod cells;
mod compile;
mod cooperative;
#[path = "../../guest-sdk/examples/even.rs"]
mod even;
#[path = "../bench/assignors/grid.rs"]
mod grid;
mod hello;
mod hostile;
mod hostile_folder;
mod metrics;
mod native;
#[path = "../../guest-sdk/examples/parts.rs"]
mod parts;
#[path = "../bench/assignors/strategies.rs"]
mod strategies;
mod trust;
mod vectors;
mod wasi;
mod wat_modules;
mod work;
#[path = "../bench/assignors/world.rs"]
mod world;
