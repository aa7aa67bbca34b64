//! Stories of one member: what happens to it, and what it does, with a clock that is told.

mod crowd;
mod handing_over;
mod joining;
mod leading;
mod listening;
mod losing;
mod offering;
mod saying;
mod story;
