//! Files that wait to be judged. Compiling and trying one may take a minute, and the next look at the folders does not wait
//! for it: what is taken away or replaced goes at once. The smallest comes first, and what goes meanwhile is given up.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

use super::admission::Admission;
use super::watch::Wake;
use crate::ids::Digest;
use crate::sandbox::{LoadError, Module, Stop};

/// What waits, and what is judged now.
pub(super) struct Desk {
    wakes: Sender<Wake>,
    /// With the length of each.
    waiting: BTreeMap<PathBuf, (u64, Digest)>,
    at_work: Option<AtWork>,
}

struct AtWork {
    path: PathBuf,
    digest: Digest,
    stop: Arc<Stop>,
}

/// What became of a file.
pub(super) struct Judged {
    pub path: PathBuf,
    pub digest: Digest,
    /// None if whoever judged it panicked.
    pub outcome: Option<Result<Arc<Module>, LoadError>>,
    stop: Arc<Stop>,
}

impl Judged {
    /// Whether somebody still wants to know.
    pub fn is_wanted(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}

impl Desk {
    pub fn new(wakes: Sender<Wake>) -> Self {
        Self { wakes, waiting: BTreeMap::new(), at_work: None }
    }

    /// Puts a file into the line.
    pub fn wait(&mut self, path: PathBuf, length: u64, digest: Digest) {
        self.waiting.insert(path, (length, digest));
    }

    /// Whether any file waits.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether a file waits or is judged.
    pub fn has(&self, path: &Path) -> bool {
        let is_at_work = |it: &AtWork| it.path == path && !it.stop.load(Ordering::Relaxed);
        self.waiting.contains_key(path) || self.at_work.as_ref().is_some_and(is_at_work)
    }

    /// Gives up what `holds` says no file holds any more.
    pub fn keep_only(&mut self, holds: impl Fn(&Path, Digest) -> bool) {
        self.waiting.retain(|path, (_, digest)| holds(path, *digest));
        if let Some(work) = self.at_work.as_ref().filter(|it| !holds(&it.path, it.digest)) {
            work.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The next file, if nothing is judged now.
    pub fn next(&mut self) -> Option<(PathBuf, Digest)> {
        if self.at_work.is_some() {
            return None;
        }
        let smallest = self.waiting.iter().min_by_key(|(path, (length, _))| (*length, (*path).clone()));
        let path = smallest.map(|(path, _)| path.clone())?;
        self.waiting.remove(&path).map(|(_, digest)| (path, digest))
    }

    /// Has a file judged by a thread of its own, which tells when it is done. Where the system has no thread to give, it waits on.
    pub fn judge(&mut self, gate: Admission, path: PathBuf, digest: Digest, bytes: Vec<u8>) -> io::Result<()> {
        let waits = (path.clone(), (bytes.len() as u64, digest));
        let stop = Arc::new(Stop::new(false));
        self.at_work = Some(AtWork { path: path.clone(), digest, stop: Arc::clone(&stop) });
        let wakes = self.wakes.clone();
        let work = move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| gate.admit(&bytes, &path, Some(&stop)))).ok();
            // The catalog may be gone.
            let _ = wakes.send(Wake::Judged(Judged { path, digest, outcome, stop }));
        };
        let begun = std::thread::Builder::new().name("divvy-admit".to_owned()).spawn(work);
        begun.map(drop).inspect_err(|_| {
            self.at_work = None;
            self.waiting.extend([waits]);
        })
    }

    /// What was judged is told.
    pub fn is_done(&mut self) {
        self.at_work = None;
    }

    /// Has the folders looked at once more.
    pub fn look_again(&self) {
        let _ = self.wakes.send(Wake::Changed);
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.keep_only(|_, _| false);
    }
}
