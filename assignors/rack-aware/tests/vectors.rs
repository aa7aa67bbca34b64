//! The conformance vectors, natively.

#[path = "../../cases.rs"]
mod cases;

#[test]
fn every_vector_holds() {
    cases::holds(include_str!("../../../tests/vectors/rack-aware-range.json"), divvy_assignor_rack_aware::assign);
}
