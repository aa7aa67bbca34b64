//! Runs the program `divvy`: a command to its end, or one that goes on and is listened to.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::own_address;

/// One command, run to its end.
pub fn divvy(arguments: &[&str]) -> Output {
    let program = Command::new(env!("CARGO_BIN_EXE_divvy")).args(arguments).env_remove("DIVVY_ASSIGNORS").output();
    program.unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it prints with `--json`, when it succeeds.
pub fn json(arguments: &[&str]) -> Value {
    let output = divvy(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// It fails with that exit code, and its sentence has these words.
pub fn fails(arguments: &[&str], code: i32, words: &[&str]) {
    let output = divvy(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: {word:?} is not in {said:?}");
    }
}

/// An address at which nobody answers.
pub fn nobody() -> String {
    TcpListener::bind(own_address()).unwrap().local_addr().unwrap().to_string()
}

/// A file of the repository; tests run at its root.
pub fn built(module: &str) -> String {
    let path = format!("assignors/{module}.wasm");
    assert!(Path::new(&path).is_file(), "{path} is missing: `cargo xtask guests` builds it");
    path
}

/// Sends a signal to a process that must be there.
pub fn signal(pid: u32, name: &str) {
    assert!(Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().unwrap().success());
}

/// No event is waited for longer: a test that waits in vain says for what.
const DEADLINE: Duration = Duration::from_secs(120);

/// A command that goes on: its lines of JSON, and its end with the test.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    pub fn start(arguments: &[&str]) -> Self {
        Self::with(&[arguments, &["--json"]].concat(), &[])
    }

    /// The arguments as they are, and a few variables more.
    pub fn with(arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
        command.args(arguments).envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self::spawn(command)
    }

    /// The same, with its log in a file.
    pub fn logged(arguments: &[&str], log: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
        let log = std::fs::File::create(log).unwrap();
        command.args(arguments).args(["--json"]).stdout(Stdio::piped()).stderr(log);
        Self::spawn(command)
    }

    /// The same, started in a folder.
    pub fn logged_in(folder: &Path, arguments: &[&str], log: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
        let log = std::fs::File::create(log).unwrap();
        command.args(arguments).args(["--json"]).current_dir(folder).env_remove("DIVVY_ASSIGNORS");
        command.stdout(Stdio::piped()).stderr(log);
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// The next event of that name; others are passed over.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            let event = self.next(name);
            if event["event"] == name {
                return event;
            }
        }
    }

    /// The next event, whatever it is; the name is of the one that is waited for.
    pub fn next(&mut self, name: &str) -> Value {
        let line = self.lines.recv_timeout(DEADLINE);
        let line = line.unwrap_or_else(|why| panic!("it ended, or said nothing, before {name:?}: {why}"));
        serde_json::from_str(&line).unwrap()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// SIGTERM, and its exit code.
    pub fn terminate(&mut self) -> i32 {
        self.signal("TERM")
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }

    /// Ctrl-C.
    pub fn interrupt(&mut self) -> i32 {
        self.signal("INT")
    }

    /// Ends it as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGHUP.
    pub fn hang_up(&mut self) {
        signal(self.child.id(), "HUP");
    }

    /// Sends a signal and waits for the end.
    pub fn signal(&mut self, name: &str) -> i32 {
        signal(self.child.id(), name);
        self.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
