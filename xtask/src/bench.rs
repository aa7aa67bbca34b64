//! `cargo xtask bench [NAME]`: runs the measurements of `tests/bench`, optimised like a release.

use anyhow::{Result, bail};

use crate::guests;
use crate::shell::{cargo, root, show};

/// Runs one measurement, or all.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut command = cargo(&["bench", "--package", "divvy"]);
    match arguments.first() {
        Some(name) if root().join(format!("tests/bench/{name}.rs")).is_file() => command.args(["--bench", name]),
        Some(name) => bail!("there is no tests/bench/{name}.rs"),
        None => command.arg("--benches"),
    };
    guests::build()?;
    show("measure", &mut command)
}
