//! divvy
fn main() {}
