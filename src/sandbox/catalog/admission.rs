//! Who comes in: trusted first, then loaded, then tried. Of who does not, no code is kept.

use std::path::Path;
use std::sync::Arc;

use super::smoke::smoke;
use crate::sandbox::error::{LoadError, LoadErrorKind, Refusal};
use crate::sandbox::inspect::header;
use crate::sandbox::metrics::Tally;
use crate::sandbox::module::digest_of;
use crate::sandbox::{Module, Sandbox, Trust};

/// Who judges.
pub(super) struct Admission {
    pub sandbox: Sandbox,
    pub trust: Trust,
    pub tally: Arc<Tally>,
}

impl Admission {
    /// Judges, loads and smoke-tests.
    pub fn admit(&self, bytes: &[u8], path: &Path) -> Result<Arc<Module>, LoadError> {
        let admitted = self.trusted(bytes, path).and_then(|()| self.load(bytes, path));
        match &admitted {
            Ok(module) => {
                Tally::one(&self.tally.loaded);
                let cache = if module.is_from_cache() { &self.tally.cache_hits } else { &self.tally.cache_misses };
                Tally::one(cache);
            }
            // What is still being written is no file yet.
            Err(error) if error.kind == LoadErrorKind::HalfWritten => {}
            Err(error) => {
                Tally::one(&self.tally.refused);
                if let (Some(code), Some(digest)) = (&self.sandbox.1, error.digest) {
                    code.forget(digest);
                }
            }
        }
        admitted
    }

    /// Before anything of it is compiled or run; a file that is not whole is told apart first.
    pub fn trusted(&self, bytes: &[u8], path: &Path) -> Result<(), LoadError> {
        if !self.trust.is_asked() || header(bytes).is_err() {
            return Ok(());
        }
        let digest = digest_of(bytes);
        let judged = self.trust.judge(path, digest, bytes);
        judged.map_err(|Refusal { kind, message }| LoadError {
            kind,
            path: path.to_owned(),
            digest: Some(digest),
            message,
        })
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

    fn load(&self, bytes: &[u8], path: &Path) -> Result<Arc<Module>, LoadError> {
        let module = self.sandbox.load(bytes, path).map_err(|error| match error.kind {
            // What is there of it so far is no module: each step of a slow copy would be news if it had a digest.
            LoadErrorKind::HalfWritten => LoadError { digest: None, ..error },
            _ => error,
        })?;
        smoke(&*module).map_err(|fault| LoadError {
            kind: LoadErrorKind::Smoke(fault.kind),
            path: path.to_owned(),
            digest: Some(module.digest()),
            message: format!("it failed a trial call, so it does not serve: {}", fault.message),
        })?;
        module.forget_usage();
        Ok(module)
    }
}
