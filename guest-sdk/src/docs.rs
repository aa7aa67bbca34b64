//! Guides: from a first strategy to its roll-out, and the ABI for other languages.

#[doc = include_str!("../docs/abi-1.md")]
pub mod abi_1 {}

#[doc = include_str!("../docs/first-assignor.md")]
pub mod first_assignor {}

#[doc = include_str!("../docs/rolling-out.md")]
pub mod rolling_out {}

#[cfg(all(test, feature = "testing"))]
mod tests;
