//! Pythons of our own under `target/`, with the pinned packages of `tests/interop/python`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{ask, quiet, root, target};
use crate::{apt, cache};

/// Where the newest versions are pinned.
const REQUIREMENTS: &str = "tests/interop/python/requirements.txt";

/// What an environment is made by; another recipe makes it anew.
const RECIPE: &str = "python3 -m venv";

/// The interpreter of a virtual environment that has these packages (names of [`REQUIREMENTS`]).
pub fn with(packages: &[&str]) -> Result<PathBuf> {
    environment("python", REQUIREMENTS, packages)
}

/// The interpreter of the environment `target/NAME` with these packages, whose versions stand in `requirements`.
pub fn environment(name: &str, requirements: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join(name);
    let python = folder.join("bin/python");
    cache::once(&folder, RECIPE, || make(&folder))?;
    let installed_list = folder.join("installed.txt");
    let mut installed = fs::read_to_string(&installed_list).unwrap_or_default();
    for package in packages {
        let pinned = pinned(requirements, package)?;
        if installed.lines().any(|line| line == pinned) {
            continue;
        }
        let mut pip = Command::new(&python);
        // Wheels alone: what would have to be compiled is not what users run.
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", &pinned]);
        let fetched = quiet(&format!("pip install {pinned}"), &mut pip);
        fetched.with_context(|| format!("pip could not get {pinned} (is there a network?)"))?;
        installed.push_str(&format!("{pinned}\n"));
        fs::write(&installed_list, &installed)
            .with_context(|| format!("{} cannot be written", installed_list.display()))?;
    }
    Ok(python)
}

fn make(folder: &Path) -> Result<()> {
    let venv = || {
        let mut command = Command::new("python3");
        // Debian's python3 makes half of one before it finds that it cannot.
        command.args(["-m", "venv", "--clear"]).arg(folder);
        quiet("make a Python environment", &mut command)
    };
    if ask("python3", &["--version"]).is_some() && venv().is_ok() {
        return Ok(());
    }
    apt::install(&["python3", "python3-venv"]).context("there is no python3 that can make a virtual environment")?;
    if venv().is_err() {
        bail!("python3 cannot make a virtual environment in {}", folder.display());
    }
    Ok(())
}

/// `NAME==VERSION`.
fn pinned(requirements: &str, package: &str) -> Result<String> {
    let path = root().join(requirements);
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let line = text.lines().find(|line| line.split("==").next() == Some(package));
    line.map(str::to_owned).with_context(|| format!("{} pins no {package}", path.display()))
}
