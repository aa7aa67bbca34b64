//! The conformance vectors, without a sandbox.

#[path = "../../cases.rs"]
mod cases;

const VECTORS: &str = include_str!("../../../tests/vectors/cooperative-sticky.json");

#[test]
fn vectors_hold() {
    cases::holds(VECTORS, divvy_assignor_cooperative_sticky::assign);
}
