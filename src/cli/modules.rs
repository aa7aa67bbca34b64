//! Where modules are looked for: `--assignors`, `$DIVVY_ASSIGNORS`, `./assignors`, and beside the program.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};

/// The flag that every command with modules takes.
#[derive(Args, Clone, Debug)]
pub struct Modules {
    /// The folder of *.wasm files, watched while running [default: $DIVVY_ASSIGNORS, ./assignors, PROGRAM/../share/divvy/assignors]
    #[arg(long = "assignors", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Modules {
    /// The first place that exists; one that was named must exist.
    pub fn folder(&self) -> Result<PathBuf> {
        self.found()?.ok_or_else(|| Failure::of(Kind::NotFound, nowhere(&usual_places())))
    }

    /// The same for who can do without.
    pub fn found(&self) -> Result<Option<PathBuf>> {
        let named = [("--assignors", self.folder.clone()), ("$DIVVY_ASSIGNORS", from_environment())];
        if let Some((by, folder)) = named.into_iter().find_map(|(by, folder)| Some((by, folder?))) {
            return match folder.is_dir() {
                true => Ok(Some(folder)),
                false => Err(Failure::of(
                    Kind::NotFound,
                    format!(
                        "{by}: {} is no folder: make it, or name the one that holds the *.wasm files",
                        folder.display()
                    ),
                )),
            };
        }
        Ok(usual_places().into_iter().find(|folder| folder.is_dir()))
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
