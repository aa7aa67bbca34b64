//! What brokers leave: a folder goes with its broker, also when we are interrupted, and when an earlier run was killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process::wait_until;
use crate::shell::target;

/// Set, the files of brokers stay (and those of the interop cases).
const KEEP: &str = "DIVVY_KEEP";

/// How long an interrupted broker may go on writing.
const LAST_FILE: Duration = Duration::from_secs(1);

/// How a shell tells that somebody was interrupted.
const INTERRUPTED: i32 = 130;

/// The folders of this run, and who works there.
static RUNNING: Mutex<BTreeMap<PathBuf, Option<u32>>> = Mutex::new(BTreeMap::new());

/// A new folder for a broker of this run, named by us, so that a later run knows whether we are still there.
pub fn folder(under: &Path) -> Result<PathBuf> {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // Without the watch a broker still ends with us; only its folder waits for the next run.
        let _ = ctrlc::set_handler(interrupted);
    });
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let us = std::process::id();
    let names = (0u32..).map(|number| under.join(format!("{us}-{number}")));
    let folder = names.into_iter().find(|folder| !folder.exists()).context("there is always a number more")?;
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    running.insert(folder.clone(), None);
    Ok(folder)
}

/// A process works there now.
pub fn running(folder: &Path, process: u32) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), Some(process));
}

/// Nobody works there for now: the number of the one that did may become a stranger's.
pub fn idle(folder: &Path) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), None);
}

/// The folder is no longer needed.
pub fn remove(folder: &Path) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(folder);
    if std::env::var_os(KEEP).is_none() {
        // The next run tries again.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Removes what killed runs have left.
pub fn clear() -> Result<()> {
    let place = target().join("kafka");
    let Ok(entries) = fs::read_dir(&place) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(owner) = name.split_once('-').and_then(|(owner, _)| owner.parse::<u32>().ok()) else { continue };
        let is_kept = std::env::var_os(KEEP).is_some();
        if !is_kept && owner != std::process::id() && !Path::new(&format!("/proc/{owner}")).exists() {
            let left = entry.path();
            fs::remove_dir_all(&left).with_context(|| format!("{} cannot be removed", left.display()))?;
        }
    }
    Ok(())
}

/// Ctrl-C, or a polite kill: the brokers first, since they still write.
fn interrupted() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (folder, process) in running {
        if let Some(process) = process {
            // It is killed with us anyway, but only after its folder should be gone.
            let _ = Command::new("sh").args(["-c", &format!("kill -9 {process}")]).status();
        }
        if std::env::var_os(KEEP).is_none() {
            // It may be writing its last file. A folder that stays is removed by the next run.
            let is_gone = || fs::remove_dir_all(&folder).is_ok() || !folder.exists();
            let _ = wait_until("the broker's folder to go", LAST_FILE, || Ok(is_gone().then_some(())));
        }
    }
    std::process::exit(INTERRUPTED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_ended_is_not_killed_again() {
        let folder = tempfile::tempdir().unwrap();
        let noted = || RUNNING.lock().unwrap().get(folder.path()).copied();
        running(folder.path(), 7);
        assert_eq!(noted(), Some(Some(7)));
        idle(folder.path());
        assert_eq!(noted(), Some(None), "its number may be a stranger's by now");
        remove(folder.path());
        assert_eq!(noted(), None);
    }
}
