//! The conformance vectors, natively.

#[path = "../../cases.rs"]
mod cases;

use divvy_assignor_uniform::assign;

#[test]
fn every_vector_holds() {
    cases::holds(include_str!("../../../tests/vectors/uniform.json"), assign);
}

/// Of the case that is left out Kafka has no answer but an exception: it holds claims of partitions that are not there.
#[test]
fn kafkas_own_answers_are_given_where_they_are_asked_for() {
    cases::holds_as_kafka(include_str!("../../../tests/vectors/uniform.json"), assign, &["stale-holdings-are-dropped"]);
}
