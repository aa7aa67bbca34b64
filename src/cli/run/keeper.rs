//! The process between `divvy run` and one child. It holds the child's life: when its `divvy run` is gone, by whatever
//! death, or says nothing for too long, the child and all that it started are killed.
//!
//! Its stdin is a pipe from `divvy run`, one letter an order: `.` for "I live", `d` for the drain signal, `k` for the end. The end of the pipe
//! is the end of `divvy run`. The child runs in a process group of its own, whose signals come from here alone. What it starts
//! becomes the keeper's when it is orphaned (PR_SET_CHILD_SUBREAPER, Linux), also in another group or session: it is waited
//! for and killed like the rest. If the keeper itself is killed, the system kills the child (PR_SET_PDEATHSIG), and
//! `divvy run` the child's group. What nobody ends: processes that a child started, when its keeper and `divvy run` are
//! killed together, or in a group of their own when the keeper is.

use std::ffi::{CStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, parent_id};
use std::process::{self, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use std::{io, thread};

use clap::{Args, Parser};

use super::os;
use crate::cli::output::aside;

/// "I live."
pub(super) const ALIVE: u8 = b'.';
/// "Ask the child to end."
pub(super) const DRAIN: u8 = b'd';
/// "End it."
pub(super) const KILL: u8 = b'k';

/// The command that is a keeper; nobody types it, so it is none of those that are helped with.
pub(super) const KEEP: &str = "keep-child";
/// The command that becomes the child; likewise.
const BECOME: &str = "become-child";

/// The keeper's name among the system's processes: who ends all that are called divvy does not mean it.
const NAME: &CStr = c"keep-child";

/// What could not be killed the first time is looked for again so soon.
const KILL_AGAIN: Duration = Duration::from_millis(50);

/// The exit codes of a command that is not there, and of one that cannot be executed, as in a shell.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

#[derive(Parser, Debug)]
enum Command {
    #[command(name = KEEP)]
    Keep(Keep),
    #[command(name = BECOME)]
    Become(Become),
}

/// Is a keeper, or a child to be, if the process was started as one: its exit code is the child's.
pub fn main() -> Option<ExitCode> {
    std::env::args_os().nth(1).filter(|command| command == KEEP || command == BECOME)?;
    Some(match Command::parse() {
        Command::Keep(keep) => keep.run(),
        Command::Become(child) => child.run(),
    })
}

/// Keeps one child of `divvy run`.
#[derive(Args, Debug)]
struct Keep {
    /// The number of the signal that asks the child to end
    #[arg(long)]
    drain_signal: i32,
    /// After so long without a word the child is ended
    #[arg(long)]
    silence_ms: u64,
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Becomes the child.
#[derive(Args, Debug)]
struct Become {
    /// Who is to be its parent
    #[arg(long)]
    keeper: u32,
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// What a keeper hears.
enum Heard {
    Order(u8),
    /// `divvy run` is gone.
    Orphaned,
    /// A process of the child's group ended: which, and its exit code.
    Ended(u32, i32),
    /// All of them have.
    AllEnded,
}

impl Keep {
    /// Keeps the child to its end, and ends with its exit code.
    fn run(self) -> ExitCode {
        os::be_called(NAME);
        // Also for the child, until it has become its command: what it is asked before then ends it in its place.
        os::hold_signals();
        os::adopt_orphans();
        let mut command = this_program(BECOME);
        command.args(["--keeper", &process::id().to_string(), "--"]).args(&self.command);
        let child = match command.stdin(Stdio::null()).process_group(0).spawn() {
            Ok(child) => child.id(),
            Err(error) => {
                aside(&format!("divvy: no process for {}: {error}", self.command[0].display()));
                return ExitCode::from(NOT_EXECUTABLE);
            }
        };
        let (tell, heard) = channel();
        let orders = tell.clone();
        thread::spawn(move || listen(&orders));
        thread::spawn(move || watch(child, &tell));
        let silence = Duration::from_millis(self.silence_ms);
        let (mut code, mut asked, mut ending) = (0, false, false);
        loop {
            match heard.recv_timeout(if ending { KILL_AGAIN } else { silence }) {
                Ok(Heard::Order(DRAIN)) => {
                    asked = true;
                    os::signal_group(child, self.drain_signal);
                }
                Ok(Heard::Order(ALIVE)) => {}
                Ok(Heard::Order(_) | Heard::Orphaned) => ending = true,
                Err(RecvTimeoutError::Timeout) if ending => {}
                Err(RecvTimeoutError::Timeout) => {
                    aside(&format!("divvy: divvy run has said nothing for {} ms: its child is ended", self.silence_ms));
                    ending = true;
                }
                Ok(Heard::Ended(process, its)) if process == child => {
                    code = its;
                    // What it started and left behind may finish only while it is drained.
                    ending |= !asked;
                }
                Ok(Heard::Ended(..)) => {}
                Ok(Heard::AllEnded) | Err(RecvTimeoutError::Disconnected) => break,
            }
            if ending {
                os::kill_group(child);
                os::kill_descendants();
            }
        }
        ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
    }
}

fn listen(tell: &Sender<Heard>) {
    let mut stdin = io::stdin().lock();
    let mut orders = [0; 256];
    loop {
        match stdin.read(&mut orders) {
            Ok(0) => break,
            Ok(count) => {
                for order in &orders[..count] {
                    if tell.send(Heard::Order(*order)).is_err() {
                        return;
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    // A keeper that has ended hears nothing any more.
    let _ = tell.send(Heard::Orphaned);
}

fn watch(child: u32, tell: &Sender<Heard>) {
    while let Some((process, code)) = os::next_end(child) {
        if tell.send(Heard::Ended(process, code)).is_err() {
            return;
        }
    }
    let _ = tell.send(Heard::AllEnded);
}

impl Become {
    /// Executes the command; comes back only if that fails. The first line of the child's stdout is its process group, for
    /// `divvy run`: said before there can be anything else in that group.
    fn run(self) -> ExitCode {
        os::die_with_parent();
        if parent_id() != self.keeper {
            // It died before this process could hang on to it.
            return ExitCode::FAILURE;
        }
        let mut stdout = io::stdout().lock();
        if writeln!(stdout, "{}", process::id()).and_then(|()| stdout.flush()).is_err() {
            // `divvy run` is gone.
            return ExitCode::FAILURE;
        }
        os::heed_signals();
        let error = process::Command::new(&self.command[0]).args(&self.command[1..]).exec();
        aside(&format!("divvy: {} cannot be executed: {error}", self.command[0].display()));
        let code = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
        ExitCode::from(code)
    }
}

/// This program with another command, also when its file was replaced since.
pub(super) fn this_program(command: &str) -> process::Command {
    let file = if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() };
    let mut program = process::Command::new(file.unwrap_or_else(|_| "divvy".into()));
    program.arg0("divvy").arg(command);
    program
}
