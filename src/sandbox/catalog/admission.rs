//! Who comes in: trusted first, then loaded, then tried. Of who does not, no code is kept.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::smoke::{Failed, smoke};
use crate::sandbox::error::{LoadError, LoadErrorKind};
use crate::sandbox::inspect::header;
use crate::sandbox::metrics::Tally;
use crate::sandbox::{Module, Sandbox, Stop, Trust};

/// Who judges.
#[derive(Clone)]
pub(super) struct Admission {
    pub sandbox: Sandbox,
    pub trust: Trust,
    pub tally: Arc<Tally>,
}

impl Admission {
    /// Judges, loads and smoke-tests, until `stop` says that nobody wants it any more.
    pub fn admit(&self, bytes: &[u8], path: &Path, stop: Option<&Stop>) -> Result<Arc<Module>, LoadError> {
        let admitted = self.trusted(bytes, path).and_then(|()| self.load(bytes, path, stop));
        match &admitted {
            Ok(module) => {
                Tally::one(&self.tally.loaded);
                let cache = if module.is_from_cache() { &self.tally.cache_hits } else { &self.tally.cache_misses };
                Tally::one(cache);
            }
            // What is still being written is no file yet.
            Err(error) if error.kind == LoadErrorKind::HalfWritten => {}
            Err(_) if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) => {}
            Err(error) => {
                Tally::one(&self.tally.refused);
                if let (Some(code), Some(digest)) = (&self.sandbox.1, error.digest) {
                    code.forget(digest);
                }
            }
        }
        admitted
    }

    /// Whether it may serve at all; a file that is not whole is told apart first.
    pub fn trusted(&self, bytes: &[u8], path: &Path) -> Result<(), LoadError> {
        if header(bytes).is_err() { Ok(()) } else { self.trust.admits(path, bytes) }
    }

    /// A file whose bytes were let in before and would not be now. Removing a module's file is how it is stopped; a
    /// signature is missing for a moment in any roll-out that brings it first or last.
    pub fn turned_away(&self, mut error: LoadError, serves: bool) -> LoadError {
        Tally::one(&self.tally.refused);
        if serves {
            error.message.push_str("; these bytes were let in before and go on serving until the file is removed");
        }
        error
    }

    fn load(&self, bytes: &[u8], path: &Path, stop: Option<&Stop>) -> Result<Arc<Module>, LoadError> {
        let loaded = match stop {
            Some(stop) => self.sandbox.load_unless(stop, bytes, path),
            None => self.sandbox.load(bytes, path),
        };
        let module = loaded.map_err(|error| match error.kind {
            // What is there of it so far is no module: each step of a slow copy would be news if it had a digest.
            LoadErrorKind::HalfWritten => LoadError { digest: None, ..error },
            _ => error,
        })?;
        let told = |failed: &Failed| {
            let kind = format!("{}: ", failed.kind.name());
            failed.told.strip_prefix(&kind).unwrap_or(&failed.told).to_owned()
        };
        smoke(&*module).map(drop).or_else(|failed| if failed.is_its_word { Ok(()) } else { Err(failed) }).map_err(
            |failed| LoadError {
                kind: LoadErrorKind::Smoke(failed.kind),
                path: path.to_owned(),
                digest: Some(module.digest()),
                message: format!("it failed a trial call, so it does not serve: {}", told(&failed)),
            },
        )?;
        module.forget_usage();
        Ok(module)
    }
}
