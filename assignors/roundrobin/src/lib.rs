//! An assignor.
