//! The conformance vectors, natively.

#[path = "../../cases.rs"]
mod cases;

use divvy_assignor_weighted::assign;

#[test]
fn every_vector_holds() {
    cases::holds(include_str!("../../../tests/vectors/weighted.json"), assign);
}
