//! Stories of many groups.
