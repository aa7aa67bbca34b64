//! A Python of our own under `target/`, with the pinned clients of `tests/interop/requirements.txt`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{ask, quiet, root, target};

/// Where the versions are pinned.
const REQUIREMENTS: &str = "tests/interop/requirements.txt";

/// The interpreter of a virtual environment that has these packages (names of [`REQUIREMENTS`]).
pub fn with(packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join("python");
    let python = folder.join("bin/python");
    if !python.is_file() {
        if ask("python3", &["--version"]).is_none() {
            bail!("there is no python3: `apt-get install -y python3 python3-venv`");
        }
        let made = quiet("make a Python environment", Command::new("python3").args(["-m", "venv"]).arg(&folder));
        if made.is_err() {
            // Debian's python3 makes half of one before it finds that it cannot.
            let _ = fs::remove_dir_all(&folder);
            bail!("python3 cannot make a virtual environment: `apt-get install -y python3-venv`");
        }
    }
    let installed_list = folder.join("installed.txt");
    let mut installed = fs::read_to_string(&installed_list).unwrap_or_default();
    for package in packages {
        let pinned = pinned(package)?;
        if installed.lines().any(|line| line == pinned) {
            continue;
        }
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", &pinned]);
        let fetched = quiet(&format!("pip install {pinned}"), &mut pip);
        fetched.with_context(|| format!("pip could not get {pinned} (is there a network?)"))?;
        installed.push_str(&format!("{pinned}\n"));
        fs::write(&installed_list, &installed)
            .with_context(|| format!("{} cannot be written", installed_list.display()))?;
    }
    Ok(python)
}

/// `NAME==VERSION`.
fn pinned(package: &str) -> Result<String> {
    let path = root().join(REQUIREMENTS);
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let line = text.lines().find(|line| line.split("==").next() == Some(package));
    line.map(str::to_owned).with_context(|| format!("{} pins no {package}", path.display()))
}
