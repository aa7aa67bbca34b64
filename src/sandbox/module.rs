//! A strategy that was checked and compiled: it knows what it is, and each call of it is a fresh instance.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::call::{Compiled, Ended, Task};
use super::compile::{self, Code};
use super::engine::{Engines, Pace};
use super::error::{LoadError, LoadErrorKind, Refusal};
use super::gate::Turned;
use super::guard::Retirements;
use super::limits::{LEAST_QUEUE_TIME, SUSPECT_CALL_TIME};
use super::standing::{Record, Standing};
use super::usage::{CallStats, Counts, Usage};
use super::{Sandbox, SandboxLimits, Stop, inspect};
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
    imports_wasi: bool,
    /// Compiled for the pool, if there is one that can hold it.
    pooled: Option<Compiled>,
    /// Compiled for the engine without a pool: at once if there is no pool, otherwise when the pool first fails.
    on_demand: OnceLock<Result<Compiled, String>>,
    is_from_cache: bool,
    retirements: Retirements,
    /// Whether its last call that ended ran into its deadline, in whichever group.
    did_not_end: AtomicBool,
    record: Record,
    usage: Usage,
}

/// The SHA-256 of a file.
pub fn digest_of(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

impl Module {
    pub(super) fn load(
        sandbox: &Sandbox,
        bytes: &[u8],
        origin: &Path,
        stop: Option<&Stop>,
    ) -> Result<Arc<Self>, LoadError> {
        let digest = digest_of(bytes);
        Self::checked(sandbox, bytes, origin, digest, stop).map(Arc::new).map_err(|refusal| LoadError {
            kind: refusal.kind,
            path: origin.to_owned(),
            digest: Some(digest),
            message: refusal.message,
        })
    }

    fn checked(
        sandbox: &Sandbox,
        bytes: &[u8],
        origin: &Path,
        digest: Digest,
        stop: Option<&Stop>,
    ) -> Result<Self, Refusal> {
        let limits = sandbox.limits();
        refuse_compiled(origin)?;
        if bytes.len() > limits.module_bytes {
            return Err(too_large(bytes.len() as u64, limits.module_bytes));
        }
        let contents = inspect::read(bytes, limits)?;
        super::manifest::within(contents.manifest.limits, limits)?;
        let asked = contents.manifest.limits.memory_mib.map(|mib| (mib as usize).saturating_mul(1 << 20));
        let memory_limit = asked.unwrap_or(limits.memory_bytes);
        super::manifest::begins_within(contents.memory_bytes, memory_limit, limits)?;
        let (ready, is_from_cache) = Ready::obtain(sandbox, bytes, digest, stop)?;
        let protocol = contents.manifest.protocol();
        Ok(Self {
            sandbox: sandbox.clone(),
            path: origin.to_owned(),
            digest,
            manifest: contents.manifest,
            protocol,
            bytes: Bytes::copy_from_slice(bytes),
            memory_limit,
            imports_wasi: contents.imports_wasi,
            pooled: ready.pooled,
            on_demand: ready.on_demand,
            is_from_cache,
            retirements: Retirements::default(),
            did_not_end: AtomicBool::new(false),
            record: Record::default(),
            usage: Usage::default(),
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

    /// Whether it imports functions of WASI: an operator must name it (`wasi_shim`).
    pub fn imports_wasi(&self) -> bool {
        self.imports_wasi
    }

    /// The limits under which it was loaded.
    pub(super) fn limits(&self) -> &SandboxLimits {
        self.sandbox.limits()
    }

    /// How long one call may take.
    pub fn call_time(&self) -> Duration {
        let limits = self.sandbox.limits();
        self.manifest.limits.ms.map_or(limits.call_time, |ms| Duration::from_millis(ms.into()))
    }

    /// Whether its code was found in the cache, so that it was not compiled.
    pub fn is_from_cache(&self) -> bool {
        self.is_from_cache
    }

    /// The memory that one call may have, in bytes.
    pub fn memory_limit(&self) -> usize {
        self.memory_limit
    }

    /// What the last call that ran used, faults included.
    pub fn last_call(&self) -> Option<CallStats> {
        self.usage.last()
    }

    /// Whether it has an optional export; calling one that it does not have gives no bytes.
    pub fn exports(&self, export: Export) -> bool {
        self.compiled().is_ok_and(|compiled| compiled.has(export))
    }

    /// What it used so far.
    pub(super) fn counts(&self) -> Counts {
        self.usage.counts()
    }

    /// Counts from here on.
    pub(super) fn forget_usage(&self) {
        self.did_not_end.store(false, Ordering::Relaxed);
        self.usage.forget();
    }

    /// What its plans came to, since it was loaded and in earlier processes.
    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// Its folder offers it no more: calls that run end soon, with a fault that says so.
    pub(super) fn retire(&self) {
        self.retirements.retire();
    }

    /// How long this call may take: one that did not end in one group gets less time in the others, until one ends.
    fn deadline(&self, budget: Budget) -> Duration {
        let usual = budget.deadline.min(self.call_time());
        if self.did_not_end.load(Ordering::Relaxed) { usual.min(SUSPECT_CALL_TIME) } else { usual }
    }

    /// Remembers whether it ends. A call that was given next to no time says nothing of that.
    fn judge_end(&self, reply: &Result<Vec<u8>, CallError>, deadline: Duration) {
        match reply {
            Err(fault) if fault.kind == FaultKind::Deadline => {
                if deadline >= SUSPECT_CALL_TIME {
                    self.did_not_end.store(true, Ordering::Relaxed);
                }
            }
            Err(fault) if matches!(fault.kind, FaultKind::Busy | FaultKind::Missing) => {}
            _ => self.did_not_end.store(false, Ordering::Relaxed),
        }
    }

    fn compiled(&self) -> Result<&Compiled, CallError> {
        self.pooled.as_ref().map_or_else(|| self.on_demand(), Ok)
    }

    fn on_demand(&self) -> Result<&Compiled, CallError> {
        let engine = &self.sandbox.0.engines.on_demand;
        self.on_demand
            .get_or_init(|| {
                // One of the two is there from the beginning.
                let code = self.pooled.as_ref().map_or_else(|| Err("it has no code".to_owned()), Compiled::code)?;
                Compiled::new(engine, &code)
            })
            .as_ref()
            .map_err(|error| CallError::new(FaultKind::Rejected, format!("its code cannot be prepared: {error}")))
    }

    fn run(&self, task: &Task<'_>, patience: Duration) -> (Result<Vec<u8>, CallError>, Option<CallStats>) {
        match self.run_in_turn(task, patience) {
            Ok(Ended::Ran(reply, stats)) => (reply, Some(stats)),
            Ok(Ended::NoInstance(why)) => {
                let why = format!("the host has no room for an instance of it ({why}); it is not to blame");
                (Err(CallError::new(FaultKind::Busy, why)), None)
            }
            Err(fault) => (Err(fault), None),
        }
    }

    fn run_in_turn(&self, task: &Task<'_>, patience: Duration) -> Result<Ended, CallError> {
        let inner = &self.sandbox.0;
        let is_wanted = || task.watch.is_none_or(|watch| !watch.is_retired());
        let is_suspect = self.did_not_end.load(Ordering::Relaxed);
        let pass = inner.gate.enter(self.digest, is_suspect, patience, is_wanted);
        let _pass = pass.map_err(|turned| match turned {
            Turned::Busy => CallError::new(
                FaultKind::Busy,
                format!(
                    "the host was too busy to call it: for {} ms as many calls ran as may at once ({}, and one module \
                     never has all the places); it is not to blame",
                    patience.as_millis(),
                    inner.limits.concurrency,
                ),
            ),
            Turned::Unwanted => CallError::new(
                FaultKind::Missing,
                "it was not called: its file was removed or replaced while the call waited for its turn",
            ),
        })?;
        let _ticking = inner.ticker.hold();
        let ended = self.compiled()?.run(task);
        match (&self.pooled, ended) {
            (Some(_), Ended::NoInstance(_)) => Ok(self.on_demand()?.run(task)),
            (_, ended) => Ok(ended),
        }
    }
}

/// A module prepared for the engine that will run it.
struct Ready {
    pooled: Option<Compiled>,
    on_demand: OnceLock<Result<Compiled, String>>,
}

impl Ready {
    /// From the cache, or compiled; and whether it was the former.
    fn obtain(sandbox: &Sandbox, bytes: &[u8], digest: Digest, stop: Option<&Stop>) -> Result<(Self, bool), Refusal> {
        let engines = &sandbox.0.engines;
        let cache = sandbox.1.as_deref();
        if let Some(ready) = cache.and_then(|cache| cache.get(digest)).and_then(|code| Self::of(engines, &code).ok()) {
            return Ok((ready, true));
        }
        inspect::validate(bytes)?;
        // What a child of another build made does not fit; this process makes its own then.
        let made = compile::by_child(bytes, sandbox.limits(), Pace::Clock, stop)?
            .and_then(|code| Self::of(engines, &code).ok().map(|ready| (ready, code)));
        let (ready, code) = match made {
            Some(made) => made,
            None => {
                let code = compile::here(&engines.on_demand, bytes)?;
                let ready = Self::of(engines, &code).map_err(|error| {
                    Refusal::new(LoadErrorKind::Compile, format!("its code cannot be prepared: {error}"))
                })?;
                (ready, code)
            }
        };
        if let (Some(cache), Code::Bytes(code)) = (cache, &code) {
            cache.put(digest, code);
        }
        Ok((ready, false))
    }

    /// A module that the pool cannot hold (its tables are too large for a slot) is served without it.
    fn of(engines: &Engines, code: &Code) -> Result<Self, String> {
        let pooled = engines.pooled.as_ref().and_then(|engine| Compiled::new(engine, code).ok());
        let on_demand = OnceLock::new();
        if pooled.is_none() {
            // Nobody else has the cell yet, so it is empty.
            let _ = on_demand.set(Ok(Compiled::new(&engines.on_demand, code)?));
        }
        Ok(Self { pooled, on_demand })
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

    fn has_check(&self) -> bool {
        self.exports(Export::Check)
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        let limits = self.sandbox.limits();
        let deadline = self.deadline(budget);
        let most = limits.input_bytes;
        let (reply, stats) = if request.len() > most {
            let length = request.len();
            let why = format!("the request has {length} bytes, at most {most} are allowed (sandbox limit input_bytes)");
            (Err(CallError::new(FaultKind::Input, why)), None)
        } else if self.exports(export) {
            let (max_output, watch) = (budget.max_output, self.retirements.watch());
            let (memory_limit, watch) = (self.memory_limit, Some(&watch));
            let patience = limits.queue_timeout.min(budget.deadline.max(LEAST_QUEUE_TIME));
            self.run(&Task { export, request, max_output, deadline, memory_limit, watch, fuel: None }, patience)
        } else {
            return Ok(Vec::new());
        };
        self.judge_end(&reply, deadline);
        self.usage.called(request.len(), deadline, stats, &reply);
        reply
    }

    fn planned(&self, took: Duration) {
        self.usage.planned(took);
        self.record.note(Standing::SERVED);
    }

    fn served(&self) {
        self.record.note(Standing::SERVED);
    }

    fn failed(&self) {
        self.record.note(Standing::FAILED);
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.protocol, self.digest)
    }
}
