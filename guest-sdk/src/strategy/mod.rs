//! Whole strategies as building blocks: an author can plan some topics with one of them and the others in another way.

pub mod sticky;
