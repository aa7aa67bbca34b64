//! A process of a story: what it prints is read line by line, what it logs goes to a file, and it never outlives us.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::clock::Stopwatch;
use crate::shell;

/// Between two looks at a condition that nobody announces.
pub const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A running process.
pub struct Process {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    log: PathBuf,
}

impl Process {
    /// Starts it; `log` is appended to.
    pub fn start(name: &str, command: &Command, log: &Path) -> Result<Self> {
        let errors = File::options().create(true).append(true).open(log);
        let errors = errors.with_context(|| format!("{} cannot be written", log.display()))?;
        let mut command = dying_with_us(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().with_context(|| format!("{name} could not be started"))?;
        let (tell, lines) = channel();
        let stdout = child.stdout.take().context("stdout was piped above")?;
        std::thread::spawn(move || {
            // Nobody listens any more once the process is given up.
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        let stdin = child.stdin.take();
        Ok(Self { name: name.to_owned(), child, stdin, lines, log: log.to_owned() })
    }

    /// The next line that it prints; none when it has ended well; an error when it failed or keeps silent.
    pub fn line_or_end(&mut self, limit: Duration) -> Result<Option<String>> {
        match self.lines.recv_timeout(limit) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => bail!("{} said nothing for {}", self.name, shell::seconds(limit)),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait().with_context(|| format!("{} is gone", self.name))?;
                if status.success() { Ok(None) } else { bail!("{} ended ({status}):\n{}", self.name, self.log_tail()) }
            }
        }
    }

    /// The next line that it prints; it must not end.
    pub fn line(&mut self, limit: Duration) -> Result<String> {
        self.line_or_end(limit)?.with_context(|| format!("{} ended", self.name))
    }

    /// The line that it has printed and nobody has read, if there is one; an error when it has ended instead.
    pub fn line_at_hand(&mut self) -> Result<Option<String>> {
        match self.lines.try_recv() {
            Ok(line) => Ok(Some(line)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => {
                let status = self.child.wait().with_context(|| format!("{} is gone", self.name))?;
                bail!("{} ended ({status}):\n{}", self.name, self.log_tail())
            }
        }
    }

    /// What a process that is to end, or was killed, had printed and nobody had read, until it prints no more.
    pub fn lines_to_the_end(&mut self, limit: Duration) -> Result<Vec<String>> {
        let watch = Stopwatch::start();
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(watch.left_of(limit)) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => return Ok(lines),
                Err(RecvTimeoutError::Timeout) => bail!("{} did not end in {}", self.name, shell::seconds(limit)),
            }
        }
    }

    /// Says a line to it.
    pub fn say(&mut self, line: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().context("stdin was piped at the start")?;
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).with_context(|| format!("{} does not listen", self.name))
    }

    /// Ends it as `kill -9` does, without a word to it.
    pub fn kill(&mut self) -> Result<()> {
        self.child
            .kill()
            .and_then(|()| self.child.wait())
            .with_context(|| format!("{} cannot be killed", self.name))?;
        Ok(())
    }

    /// Asks it to end, as Ctrl-C does, and waits.
    pub fn interrupt(&mut self, limit: Duration) -> Result<ExitStatus> {
        self.signal("INT")?;
        self.end(limit)
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) -> Result<()> {
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.child.id())]).status();
        sent.with_context(|| format!("{} cannot be sent SIG{name}", self.name))?;
        Ok(())
    }

    /// Waits until it ends by itself.
    pub fn end(&mut self, limit: Duration) -> Result<ExitStatus> {
        let child = &mut self.child;
        wait_until(&format!("{} to end", self.name), limit, || Ok(child.try_wait()?))
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        shell::tail(&std::fs::read_to_string(&self.log).unwrap_or_default())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Already ended is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks again and again until there is an answer.
pub fn wait_until<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let watch = Stopwatch::start();
    loop {
        if let Some(answer) = look()? {
            return Ok(answer);
        }
        if watch.left_of(limit).is_zero() {
            bail!("waited {} for {what}, in vain", shell::seconds(limit));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// Looks for so long whether something stays as it is.
pub fn watch(time: Duration, mut look: impl FnMut() -> Result<()>) -> Result<()> {
    let watch = Stopwatch::start();
    while !watch.left_of(time).is_zero() {
        look()?;
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// The kernel kills the process when we die, however we die, where util-linux can ask it to.
fn dying_with_us(command: &Command) -> Command {
    let mut wrapped = if shell::ask("setpriv", &["--pdeathsig", "KILL", "true"]).is_some() {
        let mut wrapped = Command::new("setpriv");
        wrapped.args(["--pdeathsig", "KILL"]).arg(command.get_program());
        wrapped
    } else {
        Command::new(command.get_program())
    };
    wrapped.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        wrapped.current_dir(folder);
    }
    wrapped
}
