//! What `divvy lead` decides (DESIGN 9): under which names it offers itself, when it joins, when it takes the lead and when it
//! only says that it has none; and what a plan would change in a group that somebody else leads. Pure: it is told what a
//! coordinator answered, and asks nobody.

pub mod compare;
pub mod described;
pub mod names;
pub mod picture;
pub mod standing;
pub mod whatif;

pub use compare::{Comparison, Row, compare};
pub use described::{Described, DescribedMember};
pub use standing::{Action, Event, Saying, Standing, Wishes};
