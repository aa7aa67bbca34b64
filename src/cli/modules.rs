//! Where modules are looked for: `--assignors`, `$DIVVY_ASSIGNORS`, `./assignors`, and beside the program.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use crate::server::config::is_module_name;

/// The flag that every command with modules takes.
#[derive(Args, Clone, Debug)]
pub struct Modules {
    /// The folder of *.wasm files, watched while running [default: $DIVVY_ASSIGNORS, ./assignors, PROGRAM/../share/divvy/assignors]
    #[arg(long = "assignors", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// A strategy that may import the functions of WASI that Go's runtime needs; may repeat
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = name)]
    wasi_shim: Vec<String>,
}

impl Modules {
    /// The modules that may import functions of WASI.
    pub fn wasi_shim(&self) -> &[String] {
        &self.wasi_shim
    }

    /// The first place that exists; one that was named must exist.
    pub fn folder(&self) -> Result<PathBuf> {
        let named = [("--assignors", self.folder.clone()), ("$DIVVY_ASSIGNORS", from_environment())];
        if let Some((by, folder)) = named.into_iter().find_map(|(by, folder)| Some((by, folder?))) {
            return match folder.is_dir() {
                true => Ok(folder),
                false => Err(Failure::of(
                    Kind::NotFound,
                    format!(
                        "{by}: {} is no folder: make it, or name the one that holds the *.wasm files",
                        folder.display()
                    ),
                )),
            };
        }
        let usual = usual_places();
        usual.iter().find(|folder| folder.is_dir()).cloned().ok_or_else(|| Failure::of(Kind::NotFound, nowhere(&usual)))
    }
}

/// A strategy's name on the command line.
pub fn name(text: &str) -> Result<String, &'static str> {
    match is_module_name(text) {
        true => Ok(text.to_owned()),
        false => Err("write a strategy's name as its manifest has it, without a version, such as by-size"),
    }
}

/// The folder that the environment names.
pub fn from_environment() -> Option<PathBuf> {
    std::env::var_os("DIVVY_ASSIGNORS").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Where modules are looked for when no folder is named.
pub fn usual_places() -> Vec<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default().join("assignors");
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).and_then(Path::parent);
    std::iter::once(here).chain(beside.map(|prefix| prefix.join("share/divvy/assignors"))).collect()
}

fn nowhere(usual: &[PathBuf]) -> String {
    let places: Vec<_> = usual.iter().map(|folder| folder.display().to_string()).collect();
    format!(
        "no folder of modules: --assignors and $DIVVY_ASSIGNORS are not set, and there is neither {}; name a folder of *.wasm files, or make one with \
         `mkdir assignors` (range is built in, and serves while it is empty)",
        places.join(" nor ")
    )
}
