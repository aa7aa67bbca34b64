//! A strategy that was checked and compiled: it knows what it is, and each call of it is a fresh instance.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::call::{Compiled, Ended, Task};
use super::error::{LoadError, LoadErrorKind, Refusal};
use super::{Sandbox, inspect, lock};
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest};
use crate::ids::{Digest, Protocol};

/// A loaded module.
pub struct Module {
    sandbox: Sandbox,
    path: PathBuf,
    digest: Digest,
    manifest: Manifest,
    protocol: Protocol,
    bytes: Bytes,
    memory_limit: usize,
    /// Compiled for the pool, if there is one that can hold it.
    pooled: Option<Compiled>,
    /// Compiled for the engine without a pool: at once if there is no pool, otherwise when the pool first fails.
    on_demand: OnceLock<Result<Compiled, String>>,
    last: Mutex<Option<CallStats>>,
}

/// What one call used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CallStats {
    /// Making the instance, its start function included.
    pub instantiate: Duration,
    /// The whole call: instance, request in, run, reply out, instance dropped. Waiting for a turn is not in it.
    pub took: Duration,
    /// The most memory it had, in bytes.
    pub memory_peak: usize,
    /// Instructions, as fuel counts them; none where they are not counted ([`super::Metered`]).
    pub fuel: Option<u64>,
}

/// The SHA-256 of a file.
pub fn digest_of(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

impl Module {
    pub(super) fn load(sandbox: &Sandbox, bytes: &[u8], origin: &Path) -> Result<Arc<Self>, LoadError> {
        let digest = digest_of(bytes);
        Self::checked(sandbox, bytes, origin, digest).map(Arc::new).map_err(|refusal| LoadError {
            kind: refusal.kind,
            path: origin.to_owned(),
            digest: Some(digest),
            message: refusal.message,
        })
    }

    fn checked(sandbox: &Sandbox, bytes: &[u8], origin: &Path, digest: Digest) -> Result<Self, Refusal> {
        let limits = sandbox.limits();
        refuse_compiled(origin)?;
        if bytes.len() > limits.module_bytes {
            return Err(too_large(bytes.len() as u64, limits.module_bytes));
        }
        let contents = inspect::inspect(bytes, limits)?;
        let memory_limit = match contents.manifest.limits.memory_mib {
            Some(mib) => (mib as usize).saturating_mul(1 << 20).min(limits.max_memory_bytes),
            None => limits.memory_bytes,
        };
        if contents.memory_bytes > memory_limit as u64 {
            return Err(Refusal::new(
                LoadErrorKind::Limit,
                format!(
                    "it begins with {} KiB of memory and may have {}: ask for more with limits.memory_mib in its \
                     manifest, or link it with a smaller stack (-zstack-size=65536)",
                    contents.memory_bytes >> 10,
                    memory_limit >> 10
                ),
            ));
        }
        let engines = &sandbox.0.engines;
        // A module that the pool cannot hold (its tables are too large for a slot) is served without it.
        let pooled = engines.pooled.as_ref().and_then(|engine| Compiled::new(engine, bytes).ok());
        let on_demand = OnceLock::new();
        if pooled.is_none() {
            let compiled = Compiled::new(&engines.on_demand, bytes)
                .map_err(|error| Refusal::new(LoadErrorKind::Compile, format!("it cannot be compiled: {error}")))?;
            // Nobody else has the cell yet, so it is empty.
            let _ = on_demand.set(Ok(compiled));
        }
        let protocol = contents.manifest.protocol();
        Ok(Self {
            sandbox: sandbox.clone(),
            path: origin.to_owned(),
            digest,
            manifest: contents.manifest,
            protocol,
            bytes: Bytes::copy_from_slice(bytes),
            memory_limit,
            pooled,
            on_demand,
            last: Mutex::new(None),
        })
    }

    /// The file it came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The SHA-256 of its file.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The name under which members offer it.
    pub fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// The file, as it was when it was loaded.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The memory that one call may have, in bytes.
    pub fn memory_limit(&self) -> usize {
        self.memory_limit
    }

    /// What the last call that ran used, faults included.
    pub fn last_call(&self) -> Option<CallStats> {
        *lock(&self.last)
    }

    /// Whether it has an optional export; calling one that it does not have gives no bytes.
    pub fn exports(&self, export: Export) -> bool {
        self.compiled().is_ok_and(|compiled| compiled.has(export))
    }

    fn compiled(&self) -> Result<&Compiled, CallError> {
        self.pooled.as_ref().map_or_else(|| self.on_demand(), Ok)
    }

    fn on_demand(&self) -> Result<&Compiled, CallError> {
        self.on_demand
            .get_or_init(|| Compiled::new(&self.sandbox.0.engines.on_demand, &self.bytes))
            .as_ref()
            .map_err(|error| CallError::new(FaultKind::Rejected, format!("it cannot be compiled: {error}")))
    }

    fn run(&self, task: &Task<'_>) -> Result<Vec<u8>, CallError> {
        let inner = &self.sandbox.0;
        let Some(_pass) = inner.gate.enter(inner.limits.queue_timeout) else {
            return Err(CallError::new(
                FaultKind::Busy,
                format!(
                    "the host was too busy to call it: {} calls were running for all of {} ms",
                    inner.limits.concurrency,
                    inner.limits.queue_timeout.as_millis()
                ),
            ));
        };
        let _ticking = inner.ticker.hold();
        let mut ended = self.compiled()?.run(task);
        if self.pooled.is_some() && matches!(ended, Ended::NoInstance(_)) {
            ended = self.on_demand()?.run(task);
        }
        match ended {
            Ended::Ran(reply, stats) => {
                *lock(&self.last) = Some(stats);
                reply
            }
            Ended::NoInstance(why) => {
                Err(CallError::new(FaultKind::Memory, format!("the host has no room for an instance of it: {why}")))
            }
        }
    }
}

/// Compiled code is trusted by the engine, so it is never taken from a folder that people write to.
pub(super) fn refuse_compiled(path: &Path) -> Result<(), Refusal> {
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("cwasm")) {
        true => Err(Refusal::new(
            LoadErrorKind::Precompiled,
            "compiled code is not loaded: put the .wasm file here, it is compiled when it is read",
        )),
        false => Ok(()),
    }
}

pub(super) fn too_large(length: u64, most: usize) -> Refusal {
    Refusal::new(
        LoadErrorKind::TooLarge,
        format!("it has {length} bytes, at most {most} are allowed: build it with optimisation and strip it"),
    )
}

impl Assignor for Module {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn digest(&self) -> Option<Digest> {
        Some(self.digest)
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        let limits = self.sandbox.limits();
        let most = limits.input_bytes;
        if request.len() > most {
            let length = request.len();
            return Err(CallError::new(
                FaultKind::Input,
                format!("the request has {length} bytes, at most {most} are allowed (sandbox limit input_bytes)"),
            ));
        }
        if !self.exports(export) {
            return Ok(Vec::new());
        }
        let asked = self.manifest.limits.ms.map_or(limits.call_time, |ms| Duration::from_millis(ms.into()));
        self.run(&Task {
            export,
            request,
            max_output: budget.max_output,
            deadline: budget.deadline.min(asked),
            memory_limit: self.memory_limit,
            fuel: None,
        })
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.protocol, self.digest)
    }
}
