//! The conformance vectors, without a sandbox.

#[path = "../../cases.rs"]
mod cases;

const VECTORS: &str = include_str!("../../../tests/vectors/sticky.json");

#[test]
fn vectors_hold() {
    cases::holds(VECTORS, divvy_assignor_sticky::assign);
}

/// Where the answer is not Kafka's, and why, is told in the README.
const NOT_AS_KAFKA: &[&str] = &[];

#[test]
fn under_compat_the_answers_are_kafkas() {
    cases::holds_as_kafka(VECTORS, divvy_assignor_sticky::assign, NOT_AS_KAFKA);
}
