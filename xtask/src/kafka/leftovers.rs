//! What brokers leave: a folder goes with its broker, also when we are interrupted, and when an earlier run was killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Result};

use crate::shell::target;

/// Set, the files of brokers stay (and those of the interop cases).
const KEEP: &str = "DIVVY_KEEP";

/// How a shell tells that somebody was interrupted.
const INTERRUPTED: i32 = 130;

/// The folders of this run, and who works there.
static RUNNING: Mutex<BTreeMap<PathBuf, u32>> = Mutex::new(BTreeMap::new());

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
    running.insert(folder.clone(), 0);
    Ok(folder)
}

/// A process works there now.
pub fn running(folder: &Path, process: u32) {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), process);
}

/// Its process has ended.
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
        if process != 0 {
            // It is killed with us anyway, but only after its folder should be gone.
            let _ = Command::new("sh").args(["-c", &format!("kill -9 {process}")]).status();
        }
        // It may be writing its last file.
        let mut tries = if std::env::var_os(KEEP).is_some() { 0..0 } else { 0..20 };
        while tries.next().is_some() && fs::remove_dir_all(&folder).is_err() && folder.exists() {
            std::thread::sleep(crate::process::LOOK_AGAIN);
        }
    }
    std::process::exit(INTERRUPTED);
}
