//! The sandbox's only unsafe code: handing compiled code to the engine, and system calls that take numbers.
//!
//! The engine cannot check machine code, so whoever hands it some vouches for it. Three sources are vouched for: a
//! module of the same process that was written out again; the answer of a child that is this very program
//! ([`super::child`]); and a file of the cache whose folder belongs to this user, that nobody else may write, whose
//! bytes carry a checksum bound to the module, the engine and this version of divvy ([`super::cache`]). A folder that
//! people drop files into is never one of them. The engine itself refuses code of another version or other settings.

#![allow(unsafe_code, reason = "compiled code is trusted by its source, see above; the system calls take numbers")]

use std::fs::File;
use std::io;

use wasmtime::{Engine, Module};

/// Code of a module as this program compiled it.
pub(in crate::sandbox) enum Code {
    /// In memory.
    Bytes(Vec<u8>),
    /// A file of the cache, checked; it is replaced by renaming and never written again, so it may be mapped.
    File(File),
}

impl Code {
    /// The module, ready for an engine.
    pub fn load(&self, engine: &Engine) -> Result<Module, String> {
        let module = match self {
            // SAFETY: the code comes from one of the sources above.
            Code::Bytes(bytes) => unsafe { Module::deserialize(engine, bytes) },
            Code::File(file) => {
                let file = file.try_clone().map_err(|error| error.to_string())?;
                // SAFETY: likewise; and the cache writes no file in place.
                unsafe { Module::deserialize_open_file(engine, file) }
            }
        };
        module.map_err(|error| format!("{error:#}"))
    }
}

/// Whose files are one's own.
pub(super) fn user() -> u32 {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// How many files this process may have open, and how many it may be let have.
pub(super) fn open_files() -> io::Result<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives longer than the call.
    match unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } {
        0 => Ok(limit),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The most that macOS takes (OPEN_MAX) where it names no bound.
const OPEN_MAX: libc::rlim_t = 10_240;

/// From now on it may have as many as it may be let have.
pub(super) fn raise_open_files() -> io::Result<()> {
    let limit = open_files()?;
    let [most, else_this] = wanted(limit.rlim_cur, limit.rlim_max);
    set_open_files(libc::rlimit { rlim_cur: most, ..limit })
        .or_else(|_| set_open_files(libc::rlimit { rlim_cur: else_this, ..limit }))
}

/// What is asked for, the second where the first is refused: never less than there is.
fn wanted(now: libc::rlim_t, most: libc::rlim_t) -> [libc::rlim_t; 2] {
    [most, most.min(OPEN_MAX).max(now)]
}

fn set_open_files(limit: libc::rlimit) -> io::Result<()> {
    // SAFETY: likewise.
    match unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// From now on this process is killed when the thread that started it ends, as all do when its process is killed. Without such a
/// system it ends by its limits.
pub(super) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: it takes numbers, and what it answers is not needed.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
}

/// From now on this process gets so many seconds of computing and bytes of address space, and writes no core file. Past its
/// seconds it is sent SIGXCPU, so that SIGKILL is somebody else's.
pub(super) fn limit_this_process(seconds: u64, bytes: u64) -> io::Result<()> {
    let limits = [(libc::RLIMIT_CPU, seconds, seconds + 1), (libc::RLIMIT_AS, bytes, bytes), (libc::RLIMIT_CORE, 0, 0)];
    for (what, rlim_cur, rlim_max) in limits {
        let limit = libc::rlimit { rlim_cur, rlim_max };
        // SAFETY: the structure lives longer than the call.
        if unsafe { libc::setrlimit(what, &raw const limit) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_without_a_bound_is_also_asked_for_as_a_number_and_never_lowered() {
        let all = libc::RLIM_INFINITY;
        assert_eq!(wanted(256, all), [all, OPEN_MAX]);
        assert_eq!(wanted(1024, 4096), [4096, 4096]);
        assert_eq!(wanted(20_000, all), [all, 20_000]);
    }
}
