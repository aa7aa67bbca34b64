//! The strategies that can be offered now: a folder (or several) of modules, kept true while files come, change, break
//! and go. A module serves only after it was checked and called; one that fails leaves the last good one in its place.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

use super::error::CatalogError;
use super::metrics::Tally;
use super::{Module, Sandbox, Trust, lock};
use crate::ids::Protocol;

mod cache;
mod choose;
mod file;
mod shelf;
mod smoke;
mod status;
mod watch;

pub use smoke::smoke;
pub use status::{ModuleState, ModuleStatus};

/// Which folders, and how they are watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogConfig {
    /// Folders of `.wasm` files.
    pub folders: Vec<PathBuf>,
    /// Where the bytes of served modules are kept, so that an older version outlives its file and the process, and their
    /// code. It belongs to one catalog alone. Without it older versions live as long as the process.
    pub cache_folder: Option<PathBuf>,
    /// The names of the strategies that are wanted, if not all: the others are not compiled.
    pub only: Option<Vec<String>>,
    /// How long a folder must be quiet before it is read.
    pub debounce: Duration,
    /// How often it is read anyway: network file systems tell nobody what changed.
    pub rescan: Duration,
    /// Which modules may serve at all.
    pub trust: Trust,
}

impl CatalogConfig {
    /// The usual times: 50 ms and 2 s.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        let (debounce, rescan) = (Duration::from_millis(50), Duration::from_secs(2));
        Self { folders, cache_folder: None, only: None, debounce, rescan, trust: Trust::default() }
    }
}

/// The modules of some folders. Its thread ends when it is dropped.
pub struct Catalog {
    shared: Arc<Shared>,
    _watch: watch::Watch,
}

type Listener = Arc<dyn Fn() + Send + Sync>;

/// What the watching thread and the readers share.
#[derive(Default)]
pub(super) struct Shared {
    snapshot: RwLock<Arc<Snapshot>>,
    listeners: Mutex<Vec<Listener>>,
    tally: Arc<Tally>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.modules().iter()).finish()
    }
}

/// One moment of the folders.
#[derive(Default)]
struct Snapshot {
    modules: Arc<[Arc<Module>]>,
    status: Vec<ModuleStatus>,
}

impl Shared {
    /// What is offered.
    pub(super) fn modules(&self) -> Arc<[Arc<Module>]> {
        Arc::clone(&self.snapshot().modules)
    }

    /// What became of the files.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Swaps the moment and tells everybody. Calls that run keep the module that they began with.
    fn publish(&self, snapshot: Snapshot) {
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        // Called without the lock: a listener may be the last that keeps its own place.
        let listeners = lock(&self.listeners).clone();
        listeners.iter().for_each(|listener| listener());
    }
}

/// A listener's place: dropped, it is told nothing more.
#[must_use]
pub struct Listening {
    shared: Weak<Shared>,
    listener: Listener,
}

impl Listening {
    /// Keeps it for as long as the catalog lives.
    pub fn for_good(mut self) {
        self.shared = Weak::new();
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            lock(&shared.listeners).retain(|it| !Arc::ptr_eq(it, &self.listener));
        }
    }
}

impl Catalog {
    /// Reads the folders once and then watches them.
    pub fn open(sandbox: Sandbox, config: CatalogConfig) -> Result<Self, CatalogError> {
        for folder in &config.folders {
            std::fs::read_dir(folder).map_err(|source| CatalogError::Folder { path: folder.clone(), source })?;
        }
        let shared = Arc::new(Shared::default());
        let watch = watch::Watch::start(sandbox, config, Arc::clone(&shared))?;
        Ok(Self { shared, _watch: watch })
    }

    /// The newest two versions of each strategy, by name, newest version first.
    pub fn modules(&self) -> Arc<[Arc<Module>]> {
        self.shared.modules()
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The module that serves a protocol; the newest one under a name that bears no version.
    pub fn find(&self, protocol: &Protocol) -> Option<Arc<Module>> {
        self.modules().iter().find(|module| module.protocol() == protocol).cloned()
    }

    /// Each file and each older version with its state, for people.
    pub fn status(&self) -> Vec<ModuleStatus> {
        self.shared.snapshot().status.clone()
    }

    /// Calls `listener`, on the catalog's own thread, after modules or states changed, as long as what it gives back is
    /// kept. It should be quick and must not panic: while it runs nobody looks at the folders.
    pub fn on_change(&self, listener: Box<dyn Fn() + Send + Sync>) -> Listening {
        let listener: Listener = Arc::from(listener);
        lock(&self.shared.listeners).push(Arc::clone(&listener));
        Listening { shared: Arc::downgrade(&self.shared), listener }
    }
}
