//! The conformance vectors, natively.

#[path = "../../cases.rs"]
mod cases;

#[test]
fn every_vector_holds() {
    cases::holds(include_str!("../../../tests/vectors/single-writer.json"), divvy_assignor_single_writer::assign);
}
