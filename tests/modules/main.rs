//! Modules: vectors, the sandbox against hostile ones, and the folder that they come from.

mod catalog;
mod hostile;
mod wat_modules;
