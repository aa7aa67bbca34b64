//! From a module to code: out of the cache, else by a child process, else in this one.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use wasmtime::Engine;

use super::Stop;
use super::engine::Pace;
use super::error::{LoadErrorKind, Refusal};
use super::limits::SandboxLimits;

pub(super) mod cache;
pub(super) mod child;
mod native;

pub(super) use cache::{CodeCache, distrust};
pub(super) use native::Code;

/// The program whose children compile, once it has said so.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Says that this process is the program divvy: from now on modules are compiled by children of it, which end as soon
/// as one takes too long or too much. Its `main` has to give [`compiler_main`] the first word. Without it modules
/// are compiled in the process itself, within the same bounds on what is compiled.
pub fn compile_in_children() {
    if let Some(program) = child::this_program() {
        // Said twice, it is the same.
        let _ = PROGRAM.set(program);
    }
}

/// Is the compiler, if the process was started as one by [`compile_in_children`]: the exit code to end with.
pub fn compiler_main() -> Option<std::process::ExitCode> {
    child::main()
}

/// Lets this process have as many files open as it may: each connection is one, and each module that serves keeps one. For
/// programs alone: a library leaves the limits of its process to it, and children inherit them.
pub fn raise_open_files() {
    if let Err(error) = native::raise_open_files() {
        let open_files = open_files();
        tracing::warn!(%error, open_files, "the limit of open files stays as it is; `ulimit -n` raises it");
    }
}

/// How many files this process may have open.
pub(super) fn open_files() -> Option<u64> {
    Some(native::open_files().ok()?.rlim_cur)
}

/// The program that was announced.
pub(super) fn program() -> Option<PathBuf> {
    PROGRAM.get().cloned()
}

/// Has a child compile a module that was inspected; none where there is no child that could.
pub(super) fn by_child(
    bytes: &[u8],
    limits: &SandboxLimits,
    pace: Pace,
    stop: Option<&Stop>,
) -> Result<Option<Code>, Refusal> {
    let Some(program) = &limits.compiler else { return Ok(None) };
    match child::compile_in(program, bytes, limits, pace, stop) {
        Ok(code) => Ok(Some(Code::Bytes(code))),
        Err(child::NoCode::Refused(why)) => Err(Refusal::new(LoadErrorKind::Compile, why)),
        Err(child::NoCode::Ended(why)) => Err(Refusal::new(LoadErrorKind::CompileEnded, why)),
        // No processes left, a file that is gone: the module is none the worse for it.
        Err(child::NoCode::Unable) => Ok(None),
    }
}

/// Compiles it in this process.
pub(super) fn here(engine: &Engine, bytes: &[u8]) -> Result<Code, Refusal> {
    engine
        .precompile_module(bytes)
        .map(Code::Bytes)
        .map_err(|error| Refusal::new(LoadErrorKind::Compile, format!("it cannot be compiled: {error:#}")))
}

/// What a sandbox may find compiled already.
pub(super) type Cached = Option<Arc<CodeCache>>;
