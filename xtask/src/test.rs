//! `cargo xtask test`: the guests first, since the tests run them; then every test of the workspace.

use anyhow::Result;

use crate::guests;
use crate::shell::{cargo, show};

/// Builds the guests, runs the tests; a filter goes to the test binaries.
pub fn run(arguments: &[String]) -> Result<()> {
    guests::build()?;
    let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
    if let Some(filter) = arguments.first() {
        command.arg(filter);
    }
    show("run the tests", &mut command)
}
