//! Modules: vectors, the sandbox against hostile ones, and the folder that they come from.

mod catalog;
mod hostile;
mod native;
mod vectors;
mod wat_modules;
