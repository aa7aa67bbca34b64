//! it

mod store;
