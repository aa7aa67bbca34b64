//! Assignors as WebAssembly modules: loading, checking and calling them under limits.
//!
//! What a module may do is decided before it runs: no imports, one memory, bounded code. What it does while it runs
//! is bounded by a deadline, a memory limit and a stack that are armed before its first instruction. Each call gets
//! an instance of its own, so nothing that one call did can be seen by the next.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod call;
mod captures;
pub mod catalog;
mod clock;
mod compile;
mod engine;
mod error;
mod fault;
mod fuel;
mod gate;
mod guard;
mod inspect;
pub mod limits;
mod manifest;
mod metrics;
mod module;
mod standing;
mod ticker;
mod trust;
mod usage;
mod wasi;

pub use captures::{CaptureBounds, Captures, CapturesError, SUFFIX as CAPTURE_SUFFIX};
pub use catalog::smoke;
pub use catalog::{Catalog, CatalogConfig, First, Listening, ModuleState, ModuleStatus};
pub use compile::{compile_in_children, compiler_main, raise_open_files};
pub use error::{CatalogError, LoadError, LoadErrorKind, SandboxError};
pub use fuel::Metered;
pub use limits::{Ceilings, SandboxLimits};
pub use metrics::ModuleMetrics;
pub use module::{Module, digest_of};
pub use trust::{Trust, TrustedKey, read_digest};
pub use usage::CallStats;

#[cfg(test)]
mod tests;

/// The engine with its limits, shared by all modules of a process. Clones are the same sandbox.
#[derive(Clone)]
pub struct Sandbox(Arc<Inner>, compile::Cached);

struct Inner {
    limits: SandboxLimits,
    engines: engine::Engines,
    gate: gate::Gate,
    ticker: ticker::Ticker,
}

impl Sandbox {
    /// Starts an engine. Instances come from a pool where the machine's address space allows it.
    pub fn new(limits: SandboxLimits) -> Result<Self, SandboxError> {
        limits.check()?;
        let engines = engine::Engines::start(&limits)?;
        let ticker = ticker::Ticker::start(engines.all())?;
        let gate = gate::Gate::new(limits.concurrency);
        Ok(Self(Arc::new(Inner { limits, engines, gate, ticker }), None))
    }

    /// The same sandbox, which looks for compiled code in a folder and keeps what it compiles there. The folder is made,
    /// for this user alone; others that the user's processes have may be the same. What is wrong with it costs time and nothing else.
    #[must_use]
    pub fn with_code_cache(&self, folder: impl Into<PathBuf>) -> Self {
        let cache = compile::CodeCache::open(folder.into(), &self.0.engines.on_demand);
        Self(Arc::clone(&self.0), Some(Arc::new(cache)))
    }

    /// Checks and compiles the bytes of a file. `origin` is where they came from, for messages.
    pub fn load(&self, bytes: &[u8], origin: &Path) -> Result<Arc<Module>, LoadError> {
        Module::load(self, bytes, origin, None)
    }

    /// The same, given up when `stop` says so.
    fn load_unless(&self, stop: &Stop, bytes: &[u8], origin: &Path) -> Result<Arc<Module>, LoadError> {
        Module::load(self, bytes, origin, Some(stop))
    }

    /// Whether instances come from a pool.
    pub fn is_pooled(&self) -> bool {
        self.0.engines.pooled.is_some()
    }

    /// The limits it was started with.
    pub fn limits(&self) -> &SandboxLimits {
        &self.0.limits
    }
}

/// Says that nobody wants any more what is being made.
type Stop = std::sync::atomic::AtomicBool;

/// Locks; what a panicking thread left behind is still whole, since no lock here is held over a step that can fail.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a file for reading. Nobody waits for the other end of a pipe, which may have taken a file's place a moment ago.
fn open_regular(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
}
