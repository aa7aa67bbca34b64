//! Captures as files of a folder: written off the leader's way by a thread of their own, bounded in number and in bytes, each
//! whole or not there at all. Whatever goes wrong costs captures and one warning, never a plan.
//!
//! What members say of themselves stands in them, and may be a secret: folder and files are their owner's alone.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

use super::clock;
use crate::assignor::Led;
use crate::assignor::capture::{Capture, LedBy, MAX_CAPTURE_BYTES, Tape};

mod folder;

use folder::Folder;
pub use folder::SUFFIX;

#[cfg(test)]
mod tests;

/// What may wait to be written, in bytes: four plans of the largest groups. One waits whatever it has.
const MAX_WAITING_BYTES: usize = 256 * 1024 * 1024;

/// What is counted of a capture beside its bytes.
const OVERHEAD_BYTES: usize = 4096;

/// How much of it there may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaptureBounds {
    /// Files in the folder.
    pub files: usize,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl Default for CaptureBounds {
    /// A day of a group that rebalances every quarter of an hour, and as much as one capture may have.
    fn default() -> Self {
        Self { files: 100, bytes: MAX_CAPTURE_BYTES as u64 }
    }
}

/// A folder that takes captures. Clones are the same one.
#[derive(Clone)]
pub struct Captures(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    jobs: Sender<Job>,
    waiting_bytes: Arc<AtomicUsize>,
    told_slow: AtomicBool,
}

enum Job {
    Keep(Box<Capture>, usize),
    Flush(SyncSender<()>),
}

impl Captures {
    /// Makes the folder if it is not there, tries whether it can be written, and waits for captures.
    pub fn open(folder: &Path, bounds: CaptureBounds) -> Result<Self, CapturesError> {
        let failed = |error| CapturesError { folder: folder.to_owned(), error };
        let mut writer = Folder::open(folder, bounds).map_err(failed)?;
        let (jobs, asked) = channel();
        let waiting_bytes = Arc::new(AtomicUsize::new(0));
        let waiting = Arc::clone(&waiting_bytes);
        let work = move || {
            for job in asked {
                match job {
                    Job::Keep(capture, bytes) => {
                        writer.keep(&capture);
                        drop(capture);
                        waiting.fetch_sub(bytes, Ordering::Relaxed);
                    }
                    // Whoever asked may have given up.
                    Job::Flush(done) => drop(done.send(())),
                }
            }
        };
        std::thread::Builder::new().name("divvy-captures".to_owned()).spawn(work).map_err(failed)?;
        let folder = folder.to_owned();
        Ok(Self(Arc::new(Inner { folder, jobs, waiting_bytes, told_slow: AtomicBool::new(false) })))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// For one generation.
    pub fn tape(&self) -> Tape {
        Tape::new(clock::micros)
    }

    /// Writes what is on the tape of a generation that is served, some time soon. Says how the names of its files begin, if
    /// there are any.
    pub fn keep(&self, tape: Tape, led_by: LedBy, led: &Led) -> Option<String> {
        let captures = tape.captures(led_by, led);
        let name = captures.first().map(folder::name);
        captures.into_iter().for_each(|capture| self.put(capture));
        name
    }

    fn put(&self, capture: Capture) {
        let bytes = weight(&capture);
        let waiting = self.0.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        if waiting > 0 && waiting.saturating_add(bytes) > MAX_WAITING_BYTES {
            self.0.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            if !self.0.told_slow.swap(true, Ordering::Relaxed) {
                let folder = self.folder().display();
                tracing::warn!(%folder, "captures come faster than they can be written: some are left out");
            }
            return;
        }
        // The thread ends with the last sender.
        let _ = self.0.jobs.send(Job::Keep(Box::new(capture), bytes));
    }

    /// Waits until everything so far is written, or this time has passed. Blocks.
    pub fn flush(&self, most: Duration) {
        let (done, wait) = sync_channel(1);
        if self.0.jobs.send(Job::Flush(done)).is_ok() {
            let _ = wait.recv_timeout(most);
        }
    }
}

impl fmt::Debug for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Captures").field(&self.0.folder).finish()
    }
}

/// About what it holds in memory.
fn weight(capture: &Capture) -> usize {
    let of = |bytes: &Option<bytes::Bytes>| bytes.as_ref().map_or(0, |bytes| bytes.len());
    let members: usize = capture.asked.members.iter().map(|it| it.metadata.len()).sum();
    let states: usize = capture.served.states.iter().map(|(_, state)| state.len()).sum();
    OVERHEAD_BYTES + of(&capture.request) + of(&capture.reply) + members + states
}

/// Why a folder takes no captures.
#[derive(Debug, thiserror::Error)]
#[error("captures cannot be written to {} ({error}): name a folder that this user may write", folder.display())]
pub struct CapturesError {
    /// Which.
    pub folder: PathBuf,
    /// What the system says.
    #[source]
    pub error: io::Error,
}
