//! `cargo xtask bench [NAME [ARGUMENT …]]`: runs the measurements of `tests/bench`, optimised like a release.

use anyhow::{Result, bail};

use crate::shell::{cargo, root, show};
use crate::{go, guests, java};

/// What asks `assignors` to measure other implementations as well, and how it is told where their programs are.
const PEERS: &str = "--peers";
const JAVA: &str = "DIVVY_PEER_JAVA";
const GO: &str = "DIVVY_PEER_GO";

/// The folder of `tests/interop` with those programs.
const FOLDER: &str = "assignors";

/// Runs one measurement with its own arguments, or all.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut command = cargo(&["bench", "--workspace"]);
    match arguments.split_first() {
        Some((name, rest)) if is_there(name) => command.args(["--bench", name, "--"]).args(rest),
        Some((name, _)) => bail!("there is no tests/bench/{name}.rs and no tests/bench/{name}/main.rs"),
        None => command.args(["--bench", "assignors", "--bench", "coordinator"]),
    };
    if arguments.iter().any(|word| word == PEERS) {
        command.env(JAVA, java::compile(FOLDER, "Assignors")?).env(GO, go::build(FOLDER)?);
    }
    guests::build()?;
    show("measure", &mut command)
}

fn is_there(name: &str) -> bool {
    ["{}.rs", "{}/main.rs"].iter().any(|file| root().join("tests/bench").join(file.replace("{}", name)).is_file())
}
