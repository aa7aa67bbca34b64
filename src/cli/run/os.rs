//! What of the system the standard library does not offer: signals to a group of processes, their end, and death with
//! the parent. The only place with `unsafe` outside of the guest's ABI; each call takes numbers, or the place for one.

#![allow(
    unsafe_code,
    reason = "system calls that take numbers, or the place for one; a crate for them would rebuild wasmtime's"
)]

use std::ffi::c_int;
use std::io;

/// Signals that may be chosen by name to have a child end.
const NAMES: [(&str, c_int); 6] = [
    ("HUP", libc::SIGHUP),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("TERM", libc::SIGTERM),
    ("USR1", libc::SIGUSR1),
    ("USR2", libc::SIGUSR2),
];

/// What a terminal or a service manager sends to all processes of a service. A keeper is told by its `divvy run`.
const POLITE: [c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// The number of a signal: `TERM`, `SIGTERM`.
pub(super) fn signal(name: &str) -> Option<c_int> {
    let bare = name.strip_prefix("SIG").unwrap_or(name);
    NAMES.iter().find(|(known, _)| *known == bare).map(|(_, number)| *number)
}

/// The names that [`signal`] knows.
pub(super) fn signal_names() -> String {
    NAMES.map(|(name, _)| name).join(", ")
}

/// From now on this process is not ended by what is sent to a whole service.
pub(super) fn ignore_polite_signals() {
    set_polite_signals(libc::SIG_IGN);
}

/// What is ignored is inherited: undone before a command is executed.
pub(super) fn heed_polite_signals() {
    set_polite_signals(libc::SIG_DFL);
}

fn set_polite_signals(to: libc::sighandler_t) {
    for signal in POLITE {
        // SAFETY: SIG_IGN and SIG_DFL are no functions of this program.
        unsafe { libc::signal(signal, to) };
    }
}

/// Processes that lose their parent become this one's, so that it can wait for their end.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // SAFETY: takes numbers, touches no memory.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    }
}

/// This process, also as the command that it executes next, is killed when its parent is gone.
pub(super) fn die_with_parent() {
    #[cfg(target_os = "linux")]
    // SAFETY: takes numbers, touches no memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
    }
}

/// Sends a signal to all processes of a group; one that is empty gets none.
pub(super) fn signal_group(group: u32, signal: c_int) {
    let Ok(group) = c_int::try_from(group) else { return };
    if group > 1 {
        // SAFETY: takes numbers, touches no memory.
        unsafe { libc::kill(-group, signal) };
    }
}

/// Kills them.
pub(super) fn kill_group(group: u32) {
    signal_group(group, libc::SIGKILL);
}

/// Waits for the end of any process of a group: which, and the exit code that a shell would show. None when all that
/// are this one's to wait for have ended.
pub(super) fn next_end(group: u32) -> Option<(u32, i32)> {
    let group = c_int::try_from(group).ok().filter(|group| *group > 1)?;
    loop {
        let mut status = 0;
        // SAFETY: `status` lives longer than the call.
        let process = unsafe { libc::waitpid(-group, &raw mut status, 0) };
        match u32::try_from(process) {
            Ok(process) if libc::WIFSIGNALED(status) => return Some((process, 128 + libc::WTERMSIG(status))),
            Ok(process) => return Some((process, libc::WEXITSTATUS(status))),
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
