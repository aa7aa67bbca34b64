//! The conformance vectors, natively.

#[path = "../../cases.rs"]
mod cases;

use divvy_assignor_lag_aware::assign;

#[test]
fn every_vector_holds() {
    cases::holds(include_str!("../../../tests/vectors/lag-aware.json"), assign);
}
