//! Compiling in a process of its own: whatever a module makes of the compiler (minutes, gigabytes, a crash) ends with
//! that process. It is this very program under another command, with the bytes of the module as its stdin and the code
//! as its stdout, without environment, and with as much time and memory as the limits say.

use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::super::Stop;
use super::super::clock;
use super::super::engine::{self, Pace};
use super::super::limits::{COMPILE_PATIENCE, COMPILE_THREADS, MAX_CODE_BYTES, MAX_MODULE_BYTES, SandboxLimits, cores};
use super::native;
use crate::text::one_line;

/// The command that compiles; nobody types it, so it is none of those that are helped with.
const COMMAND: &str = "compile-module";
/// What follows the limits where instructions are counted.
const FUEL: &str = "fuel";
/// Exit code of a module that the compiler refused; stderr says why.
const REFUSED: u8 = 3;
/// How often whoever waits for a child looks whether its work is still wanted.
const A_MOMENT: Duration = Duration::from_millis(100);
/// Of what a child says not more is read.
const MAX_WORDS: u64 = 4096;

/// Why there is no code.
pub(super) enum NoCode {
    /// The module's fault, in a sentence.
    Refused(String),
    /// Something else ended the child, which says nothing of the module: in a sentence.
    Ended(String),
    /// The child could not do its work; nothing is known of the module.
    Unable,
}

/// This program's file, if it knows the command.
pub(in crate::sandbox) fn this_program() -> Option<PathBuf> {
    match cfg!(target_os = "linux") {
        // It stays the running program when its file is replaced.
        true => Some("/proc/self/exe".into()),
        false => std::env::current_exe().ok(),
    }
}

/// Is the compiler, if the process was started as one.
pub fn main() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    (arguments.next()? == COMMAND).then_some(())?;
    let mut number = || arguments.next()?.parse().ok();
    let limits = number().zip(number());
    let pace = if arguments.next().is_some_and(|word| word == FUEL) { Pace::Fuel } else { Pace::Clock };
    let limits = limits.ok_or_else(|| "it takes seconds and bytes".to_owned());
    Some(match limits.and_then(|(seconds, bytes)| compile(seconds, bytes, pace)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(words) => {
            // Nobody may be there to read it.
            let _ = io::stderr().write_all(words.as_bytes());
            ExitCode::from(REFUSED)
        }
    })
}

fn compile(seconds: u64, bytes: u64, pace: Pace) -> Result<(), String> {
    let words = |error: io::Error| error.to_string();
    native::end_with_parent();
    native::limit_this_process(seconds, bytes).map_err(words)?;
    let mut module = Vec::new();
    io::stdin().lock().take(MAX_MODULE_BYTES as u64).read_to_end(&mut module).map_err(words)?;
    let code = engine::alone(pace).and_then(|engine| engine.precompile_module(&module));
    io::stdout().lock().write_all(&code.map_err(|error| format!("{error:#}"))?).map_err(words)
}

/// Has a child of `program` compile a module that was inspected; `stop` ends it early.
pub(super) fn compile_in(
    program: &Path,
    module: &[u8],
    limits: &SandboxLimits,
    pace: Pace,
    stop: Option<&Stop>,
) -> Result<Vec<u8>, NoCode> {
    let unable = |_: io::Error| NoCode::Unable;
    let child = Command::new(program)
        .arg0("divvy")
        .arg(COMMAND)
        .arg(limits.compile_time.as_secs().max(1).to_string())
        .arg(limits.compile_memory_bytes.to_string())
        .args((pace == Pace::Fuel).then_some(FUEL))
        .env_clear()
        // Each thread may reserve address space of its own.
        .env("RAYON_NUM_THREADS", COMPILE_THREADS.min(cores()).to_string())
        .env("MALLOC_ARENA_MAX", "2")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(unable)?;
    let (status, code, words, is_in_time) = converse(child, module, limits, stop).map_err(unable)?;
    match status.success() && is_in_time {
        true => Ok(code),
        false => Err(without_code(status, &words, is_in_time, limits)),
    }
}

/// What the end of a child without code says of the module.
fn without_code(status: ExitStatus, words: &str, is_in_time: bool, limits: &SandboxLimits) -> NoCode {
    let (seconds, mib) = (limits.compile_time.as_secs_f64(), limits.compile_memory_bytes >> 20);
    let remedy = "split its largest functions, build it with optimisation, and leave out what it does not use";
    let is_out_of_memory = words.contains("memory allocation") || words.contains("Cannot allocate memory");
    match (status.code(), status.signal()) {
        (_, Some(libc::SIGXCPU)) => NoCode::Refused(format!(
            "compiling it took longer than {seconds} s of computing (sandbox limit compile_time): {remedy}"
        )),
        _ if !is_in_time => NoCode::Ended(format!(
            "compiling it did not end in {} s, although it may compute for {seconds} s: the machine is busy, or the process that \
             compiled it was stopped",
            (limits.compile_time * COMPILE_PATIENCE).as_secs_f64()
        )),
        _ if is_out_of_memory => NoCode::Refused(format!(
            "compiling it took more than {mib} MiB of memory (sandbox limit compile_memory_bytes): {remedy}"
        )),
        (Some(code), _) if code == i32::from(REFUSED) => NoCode::Refused(format!("it cannot be compiled: {words}")),
        // What made the system do that would meet this process next.
        (_, Some(libc::SIGKILL | libc::SIGTERM | libc::SIGINT | libc::SIGHUP)) => NoCode::Ended(format!(
            "the process that compiled it was killed, as systems do that run out of memory: free some, or {remedy}"
        )),
        (_, Some(signal)) => NoCode::Refused(format!(
            "the compiler crashed on it (signal {signal}), in a process of its own: {remedy}; and report the module"
        )),
        _ => NoCode::Unable,
    }
}

/// Gives the child its input and waits for all that it says; the last is whether it was done in time. However it ends, the
/// child is gone.
fn converse(
    mut child: Child,
    module: &[u8],
    limits: &SandboxLimits,
    stop: Option<&Stop>,
) -> io::Result<(ExitStatus, Vec<u8>, String, bool)> {
    let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        let begin = || {
            // A child that ends early leaves the rest unread, and its end says why.
            let write = move || stdin.take().map(|mut to| to.write_all(module));
            thread::Builder::new().spawn_scoped(scope, write)?;
            let words = thread::Builder::new().spawn_scoped(scope, move || read(stderr, MAX_WORDS))?;
            thread::Builder::new().spawn_scoped(scope, move || tell.send(read(stdout, MAX_CODE_BYTES as u64)))?;
            io::Result::Ok(words)
        };
        let begun = begin();
        let code = begun.is_ok().then(|| wait(&told, limits.compile_time * COMPILE_PATIENCE, stop)).flatten();
        if code.is_none() {
            // It may have ended by itself.
            let _ = child.kill();
        }
        let (status, words) = (child.wait()?, begun?.join().unwrap_or_default());
        let words = one_line(&String::from_utf8_lossy(&words), 500);
        let is_in_time = code.is_some();
        Ok((status, code.unwrap_or_default(), words, is_in_time))
    })
}

/// What the child says, if it says it in time and while somebody wants it.
fn wait(told: &mpsc::Receiver<Vec<u8>>, patience: Duration, stop: Option<&Stop>) -> Option<Vec<u8>> {
    let began = clock::now();
    loop {
        match told.recv_timeout(A_MOMENT) {
            Ok(code) => return Some(code),
            Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if began.elapsed() >= patience || stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                    return None;
                }
            }
        }
    }
}

fn read(from: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // What could not be read is missing, and what is there is judged.
        let _ = from.take(most).read_to_end(&mut bytes);
    }
    bytes
}
