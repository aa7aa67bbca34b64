//! The strategies that can be offered now: a folder (or several) of modules, kept true while files come, change, break
//! and go. A module serves only after it was checked and called; one that fails leaves the last good one in its place.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

use super::error::CatalogError;
use super::metrics::Tally;
use super::{Module, Sandbox, Trust, TrustedKey, lock};
use crate::ids::{Digest, Protocol};

mod admission;
mod cache;
mod choose;
mod desk;
mod file;
mod first;
mod shelf;
mod smoke;
mod status;
mod watch;

pub use first::First;
pub use smoke::smoke;
pub use status::{ModuleState, ModuleStatus};

/// How often whoever waits for the catalog's thread makes sure that it is there.
const A_MOMENT: Duration = Duration::from_secs(1);

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
    /// What is judged before the catalog is open, if not all: the rest follows on its own thread. With a cache folder it says
    /// nothing: a start compiles little there, and what is kept belongs to files that were judged.
    pub first: Option<First>,
    /// The versions that somebody named (`rack-aware@1`): they are offered however many newer ones there are. Names without a
    /// version are passed over.
    pub pinned: Vec<String>,
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
        let (only, first, pinned) = (None, None, Vec::new());
        Self { folders, cache_folder: None, only, first, pinned, debounce, rescan, trust: Trust::default() }
    }
}

/// The modules of some folders. Its thread ends when it is dropped.
pub struct Catalog {
    shared: Arc<Shared>,
    watch: watch::Watch,
}

/// Who may serve from now on. It is dropped when the folders were looked at under it.
struct Judges {
    keys: Vec<TrustedKey>,
    allowed: BTreeSet<Digest>,
    _done: mpsc::Sender<()>,
}

type Listener = Arc<dyn Fn() + Send + Sync>;

/// What the watching thread and the readers share.
#[derive(Default)]
pub(super) struct Shared {
    snapshot: RwLock<Arc<Snapshot>>,
    listeners: Mutex<Vec<Listener>>,
    tally: Arc<Tally>,
    /// What the next look takes over.
    judges: Mutex<Option<Judges>>,
    /// The versions that were named after the first look; the next one takes them over.
    named: Mutex<Vec<String>>,
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

    /// Swaps the moment and tells everybody. Calls that run keep the module that they began with; of one that is offered no
    /// more they end soon.
    fn publish(&self, snapshot: Snapshot) {
        let now = Arc::clone(&snapshot.modules);
        let mut held = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *held, Arc::new(snapshot));
        drop(held);
        let is_gone = |module: &&Arc<Module>| !now.iter().any(|it| Arc::ptr_eq(it, module));
        for module in before.modules.iter().filter(is_gone) {
            module.retire();
            self.tally.keep_faults(&module.counts());
        }
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
        Ok(Self { shared, watch })
    }

    /// The newest two versions of each strategy and those that are named, by name, newest version first.
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

    /// Offers these versions from the next look on as well, which is soon ([`CatalogConfig::pinned`]).
    pub fn pin(&self, names: &[String]) {
        lock(&self.shared.named).extend(names.iter().cloned());
        self.watch.wake();
    }

    /// From now on these keys and digests say who may serve. All files and older versions are judged anew, as at a start: what
    /// may not serve any more stops, also where it serves already. Blocks until that is done.
    pub fn trust_anew(&self, keys: Vec<TrustedKey>, allowed: BTreeSet<Digest>) {
        let (done, is_done) = mpsc::channel();
        *lock(&self.shared.judges) = Some(Judges { keys, allowed, _done: done });
        self.watch.wake();
        // Nothing is ever sent: the other end is dropped when it is done.
        while is_done.recv_timeout(A_MOMENT) == Err(RecvTimeoutError::Timeout) && self.watch.is_alive() {}
    }

    /// Calls `listener`, on the catalog's own thread, after modules or states changed, as long as what it gives back is
    /// kept. It should be quick and must not panic: while it runs nobody looks at the folders.
    pub fn on_change(&self, listener: Box<dyn Fn() + Send + Sync>) -> Listening {
        let listener: Listener = Arc::from(listener);
        lock(&self.shared.listeners).push(Arc::clone(&listener));
        Listening { shared: Arc::downgrade(&self.shared), listener }
    }
}
