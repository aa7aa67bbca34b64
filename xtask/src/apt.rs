//! Debian's packages: installed when we may, else one sentence that says what to install.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

use crate::shell::{ask, quiet};

/// Whether this run has asked for the lists of packages.
static UPDATED: AtomicBool = AtomicBool::new(false);

/// Makes sure that a program is there. `packages` bring it.
pub fn program(name: &str, packages: &[&str]) -> Result<()> {
    if on_path(name) {
        return Ok(());
    }
    install(packages).with_context(|| format!("there is no `{name}` on the PATH"))
}

/// Whether there is such a program.
pub fn on_path(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// Whether Debian says that all of them are installed.
pub fn installed(packages: &[&str]) -> bool {
    packages.iter().all(|package| {
        ask("dpkg-query", &["-W", "-f", "${db:Status-Status}", package]).is_some_and(|status| status == "installed")
    })
}

/// Installs packages; whoever may not is told the command.
pub fn install(packages: &[&str]) -> Result<()> {
    let by_hand = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    if !on_path("apt-get") {
        bail!("this is no Debian, where `{by_hand}` would bring it");
    }
    if ask("id", &["-u"]).is_none_or(|user| user != "0") {
        bail!("not root: run `sudo {by_hand}`");
    }
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
        quiet(&format!("apt-get {}", words.join(" ")), &mut command)
    };
    // A fresh machine has no list of packages yet; an old list names files that are gone.
    if !UPDATED.load(Ordering::Relaxed) {
        apt(&["update"]).context("apt-get found no package lists (is there a network?)")?;
        UPDATED.store(true, Ordering::Relaxed);
    }
    let words: Vec<&str> = by_hand.split(' ').skip(1).collect();
    apt(&words).with_context(|| format!("`{by_hand}` failed"))?;
    Ok(())
}
