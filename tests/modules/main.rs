//! Modules: vectors, the sandbox against hostile ones, and the folder that they come from.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails by it")]

mod catalog;
mod cooperative;
mod hello;
mod hostile;
mod native;
mod vectors;
mod wat_modules;
