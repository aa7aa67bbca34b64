//! Stories of one member: what happens to it, and what it does, with a clock that is told.

mod joining;
mod leading;
mod listening;
mod losing;
mod offering;
mod story;
