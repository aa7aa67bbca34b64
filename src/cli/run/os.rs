//! What of the system the standard library does not offer: signals to a group of processes, their end, and death with
//! the parent. The only place with `unsafe` outside of the guest's ABI; each call takes numbers, or the place for one.

#![allow(
    unsafe_code,
    reason = "system calls that take numbers, or the place for one; a crate for them would rebuild wasmtime's"
)]

use std::ffi::{CString, c_int};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fs, io, ptr};

/// Signals that may be chosen by name to have a child end. A terminal or a service manager sends some of them to all
/// processes of a service: a keeper gets none of them, it is told by its `divvy run`.
const NAMES: [(&str, c_int); 6] = [
    ("HUP", libc::SIGHUP),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("TERM", libc::SIGTERM),
    ("USR1", libc::SIGUSR1),
    ("USR2", libc::SIGUSR2),
];

/// The number of a signal: `TERM`, `SIGTERM`.
pub(super) fn signal(name: &str) -> Option<c_int> {
    let bare = name.strip_prefix("SIG").unwrap_or(name);
    NAMES.iter().find(|(known, _)| *known == bare).map(|(_, number)| *number)
}

/// The names that [`signal`] knows.
pub(super) fn signal_names() -> String {
    NAMES.map(|(name, _)| name).join(", ")
}

/// From now on this process, and what it starts, gets none of these signals: they wait. Held, not ignored: what reaches a
/// child before it has become its command is a request to end like any other, and must not be lost.
pub(super) fn hold_signals() {
    mask_signals(libc::SIG_BLOCK);
}

/// What is held or ignored is inherited: undone before a command is executed. What came meanwhile ends this process here.
pub(super) fn heed_signals() {
    for (_, signal) in NAMES {
        // SAFETY: SIG_DFL is no function of this program.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    mask_signals(libc::SIG_UNBLOCK);
}

fn mask_signals(how: c_int) {
    let mut signals = MaybeUninit::uninit();
    // SAFETY: the set lives longer than the calls, and the first of them makes it one; the last one takes no old set.
    unsafe {
        libc::sigemptyset(signals.as_mut_ptr());
        for (_, signal) in NAMES {
            libc::sigaddset(signals.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(how, signals.as_ptr(), ptr::null_mut());
    }
}

/// The name of this process where processes are ended by name, as `pkill` and `killall` do.
pub(super) fn be_called(name: &std::ffi::CStr) {
    #[cfg(target_os = "linux")]
    // SAFETY: the name lives longer than the call, which copies it.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = name;
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

/// Whether this process may execute that file.
pub(super) fn may_execute(file: &Path) -> bool {
    let Ok(file) = CString::new(file.as_os_str().as_bytes()) else { return false };
    // SAFETY: the text ends with its nought, and lives longer than the call.
    unsafe { libc::access(file.as_ptr(), libc::X_OK) == 0 }
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

/// Kills all that this process and its children started, in whatever group or session it is now. What is started meanwhile
/// is missed: to be repeated until all have ended.
pub(super) fn kill_descendants() {
    let mut todo = children("self");
    while let Some(process) = todo.pop() {
        todo.extend(children(&process.to_string()));
        if let Some(number) = c_int::try_from(process).ok().filter(|number| *number > 1) {
            // SAFETY: takes numbers, touches no memory.
            unsafe { libc::kill(number, libc::SIGKILL) };
        }
    }
}

/// Whether the system tells what the children of a process are.
fn tells_children() -> bool {
    Path::new("/proc/thread-self/children").exists()
}

fn children(of: &str) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|it| it.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Waits for the end of any process of a child, or of its group alone where nobody could find the others: which, and
/// the exit code that a shell would show. None when all that are this one's to wait for have ended.
pub(super) fn next_end(group: u32) -> Option<(u32, i32)> {
    let group = c_int::try_from(group).ok().filter(|group| *group > 1)?;
    let whom = if tells_children() { -1 } else { -group };
    loop {
        let mut status = 0;
        // SAFETY: `status` lives longer than the call.
        let process = unsafe { libc::waitpid(whom, &raw mut status, 0) };
        match u32::try_from(process) {
            Ok(process) if libc::WIFSIGNALED(status) => return Some((process, 128 + libc::WTERMSIG(status))),
            Ok(process) => return Some((process, libc::WEXITSTATUS(status))),
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Kills a group whose keeper is dead, and takes those of it that have become this process's own. Whether all of it is
/// gone: to be repeated until then.
pub(super) fn clear_group(group: u32) -> bool {
    let Some(group) = c_int::try_from(group).ok().filter(|group| *group > 1) else { return true };
    let mut status = 0;
    // SAFETY: both take numbers; `status` lives longer than the calls.
    unsafe {
        let is_gone = libc::kill(-group, libc::SIGKILL) != 0;
        while libc::waitpid(-group, &raw mut status, libc::WNOHANG) > 0 {}
        is_gone
    }
}
