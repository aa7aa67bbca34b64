//! `cargo xtask test`: the guests first, since the tests run them; then every test of the workspace.

use anyhow::Result;

use crate::shell::{cargo, show};
use crate::{apt, guests};

/// For how long the simulator looks for new seeds, in seconds, and what says so.
const FRESH_SEEDS_SECONDS: &str = "60";
const SECONDS: &str = "DIVVY_SIM_SECONDS";

/// Builds the guests, runs the tests; a filter goes to the test binaries.
pub fn run(arguments: &[String]) -> Result<()> {
    // Some of the example workers are in Python, without any package.
    apt::program("python3", &["python3"])?;
    guests::build()?;
    let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
    // A plain `cargo test` tries only fixed seeds, so that it is the same every time.
    if std::env::var_os(SECONDS).is_none() {
        command.env(SECONDS, FRESH_SEEDS_SECONDS);
    }
    if let Some(filter) = arguments.first() {
        command.arg(filter);
    }
    show("run the tests", &mut command)
}
