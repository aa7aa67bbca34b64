//! The thread that keeps a catalog true: the file system's events make it quick, the rescan makes it sure.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::desk::{Desk, Judged};
use super::shelf::Shelf;
use super::{CatalogConfig, Shared};
use crate::sandbox::error::CatalogError;
use crate::sandbox::{Sandbox, clock, lock};

/// A folder that never is quiet is read after that many times the debounce.
const LONGEST_DEBOUNCES: u32 = 10;

/// What was judged is told after so long, although more waits.
const LONGEST_HELD: Duration = Duration::from_millis(500);

pub(super) enum Wake {
    Changed,
    /// A file that waited was judged.
    Judged(Judged),
    Stop,
}

/// The running thread; dropping it stops it.
pub(super) struct Watch {
    wakes: Sender<Wake>,
    thread: Option<JoinHandle<()>>,
    /// None where the system has no events to give (limits, exotic file systems): the rescan does alone.
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Reads the folders, publishes what is there and goes on watching.
    pub fn start(sandbox: Sandbox, config: CatalogConfig, shared: Arc<Shared>) -> Result<Self, CatalogError> {
        let (wakes, woken) = mpsc::channel();
        // Watching begins before the first look, so that nothing falls between.
        let watcher = watcher(&config, wakes.clone());
        let (debounce, rescan) = (config.debounce, config.rescan);
        let mut shelf = Shelf::new(sandbox, config, Arc::clone(&shared.tally), Desk::new(wakes.clone()));
        if let Some(snapshot) = shelf.scan() {
            shared.publish(snapshot);
        }
        let run = move || {
            let mut held_since = None;
            shelf.judge_next();
            while let Some(Woken { judged, has_changed }) = wait(&woken, debounce, rescan) {
                judged.into_iter().for_each(|judged| shelf.take(judged));
                // Files that came together are told together, unless that takes long.
                let mut is_early = || held_since.get_or_insert_with(clock::now).elapsed() < LONGEST_HELD;
                if !has_changed && shelf.has_waiting() && is_early() {
                    shelf.judge_next();
                    continue;
                }
                held_since = None;
                shelf.pin(std::mem::take(&mut *lock(&shared.named)));
                let judges = lock(&shared.judges).take();
                if let Some(judges) = &judges {
                    shelf.trust_anew(judges);
                }
                if let Some(snapshot) = shelf.scan() {
                    shared.publish(snapshot);
                }
                drop(judges);
                shelf.judge_next();
            }
        };
        let thread =
            std::thread::Builder::new().name("divvy-catalog".to_owned()).spawn(run).map_err(CatalogError::Thread)?;
        Ok(Self { wakes, thread: Some(thread), _watcher: watcher })
    }
}

impl Watch {
    /// Has the folders looked at soon.
    pub fn wake(&self) {
        // The thread is gone only if it panicked.
        let _ = self.wakes.send(Wake::Changed);
    }

    /// Whether there is a thread that looks: a listener that panics ends it.
    pub fn is_alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

fn watcher(config: &CatalogConfig, wakes: Sender<Wake>) -> Option<RecommendedWatcher> {
    let tell = move |event: notify::Result<Event>| {
        // Reading a folder is an event too, and reading is what an event causes.
        let is_reading = |event: &Event| matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
        if !event.as_ref().is_ok_and(is_reading) {
            // The thread may have stopped already.
            let _ = wakes.send(Wake::Changed);
        }
    };
    let mut watcher = notify::recommended_watcher(tell).ok()?;
    for folder in &config.folders {
        // Without it the rescan finds the change, later.
        let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
    }
    Some(watcher)
}

/// Why it is time to look.
struct Woken {
    judged: Vec<Judged>,
    /// Whether the folders may hold something else.
    has_changed: bool,
}

/// Waits for the next time to look, and gives what was judged since the last; none when it is time to stop.
fn wait(woken: &Receiver<Wake>, debounce: Duration, rescan: Duration) -> Option<Woken> {
    match woken.recv_timeout(rescan) {
        Ok(Wake::Changed) => {}
        Ok(Wake::Judged(judged)) => return Some(Woken { judged: vec![judged], has_changed: false }),
        Err(RecvTimeoutError::Timeout) => return Some(Woken { judged: Vec::new(), has_changed: true }),
        Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
    }
    let mut all = Vec::new();
    let first = clock::now();
    while first.elapsed() < debounce * LONGEST_DEBOUNCES {
        match woken.recv_timeout(debounce) {
            Ok(Wake::Changed) => {}
            Ok(Wake::Judged(judged)) => all.push(judged),
            Err(RecvTimeoutError::Timeout) => break,
            Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    Some(Woken { judged: all, has_changed: true })
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It is gone already if it panicked, which a listener may have made it do.
        let _ = self.wakes.send(Wake::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
