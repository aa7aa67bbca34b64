//! Stories of one member: what happens to it, and what it does, with a clock that is told.

mod changing;
mod connecting;
mod crowd;
mod draining;
mod ending;
mod handing_over;
mod joining;
mod laws;
mod leading;
mod leading_others;
mod listening;
mod losing;
mod matching;
mod offering;
mod returning;
mod saying;
mod story;
mod waiting;
mod writing;
