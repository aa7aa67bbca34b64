//! A server as a process of its own, and what the kernel counts of it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Another build of divvy than this program's own.
static DIVVY: OnceLock<PathBuf> = OnceLock::new();

/// Measures another build of divvy: two of them are best compared by one program, in turns.
pub fn measure(divvy: PathBuf) {
    // Said twice, the first counts.
    let _ = DIVVY.set(divvy);
}

/// A running server; it does not outlive this.
pub struct Server {
    child: Child,
    addr: SocketAddr,
    /// Kept open: a server may print more.
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// divvy, with this configuration in this folder. What it logs goes to a file there.
    pub fn divvy(folder: &Path, data: &str, more: &str) -> Result<Self> {
        let config = folder.join("divvy.toml");
        let text = format!(
            "listen = \"127.0.0.1:0\"\nadmin = \"off\"\ndata = {data:?}\n\"group.initial.rebalance.delay.ms\" = 5\n{more}"
        );
        fs::write(&config, text)?;
        let mut command = Command::new(DIVVY.get().map_or(Path::new(env!("CARGO_BIN_EXE_divvy")), PathBuf::as_path));
        command.args(["--json", "serve", "--config"]).arg(&config).current_dir(folder);
        let log = fs::File::options().create(true).append(true).open(folder.join("divvy.log"))?;
        Self::start(command.stderr(log))
    }

    /// A bare server of this program: `echo`, `log` or `floor` with its arguments.
    pub fn bare(arguments: &[&str]) -> Result<Self> {
        Self::start(Command::new(std::env::current_exe()?).arg("--bare").args(arguments))
    }

    /// Both kinds say where they listen in their first line: `"kafka":"ADDRESS:PORT"`.
    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().context("stdout was piped above")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        match said["kafka"].as_str().and_then(|addr| addr.parse().ok()) {
            Some(addr) => Ok(Self { child, addr, _stdout: stdout }),
            None => {
                let _ = child.kill();
                bail!("a server did not start: it said {line:?}")
            }
        }
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Ends it as `kill -9` does.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Its memory in bytes.
    pub fn rss(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS in /proc")?;
        let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes * 1024.0)
    }

    /// The bytes that it has sent to storage.
    pub fn stored(&self) -> Result<f64> {
        let io = fs::read_to_string(format!("/proc/{}/io", self.child.id()))?;
        let line = io.lines().find_map(|line| line.strip_prefix("write_bytes: ")).context("no write_bytes in /proc")?;
        Ok(line.trim().parse()?)
    }

    fn cpu(&self) -> Result<Duration> {
        cpu(&format!("/proc/{}/task", self.child.id()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already ended is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The time on a processor of all threads that live, to the nanosecond, kernel time included.
fn cpu(tasks: &str) -> Result<Duration> {
    let mut nanos = 0;
    for task in fs::read_dir(tasks)? {
        // A thread may end between the two looks.
        let stat = fs::read_to_string(task?.path().join("schedstat")).unwrap_or_default();
        nanos += stat.split(' ').next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(Duration::from_nanos(nanos))
}

/// The busy time of all processors.
fn host() -> Result<Duration> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/stat")?;
    let ticks = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let ticks: Vec<f64> = ticks.filter_map(|word| word.parse().ok()).collect();
    // user, nice, system, (idle, iowait), irq, softirq, steal
    let busy: f64 = [0, 1, 2, 5, 6, 7].iter().filter_map(|field| ticks.get(*field)).sum();
    Ok(Duration::from_secs_f64(busy / TICKS_PER_SECOND))
}

/// A time during which a server is watched.
pub struct Window {
    began: Instant,
    server: Duration,
    own: Duration,
    host: Duration,
}

/// What a window saw.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Its length.
    pub wall: Duration,
    /// The server's time on processors.
    pub cpu: Duration,
    /// What all others but the server and this program took of the machine: 1 is all of it.
    pub others: f64,
}

impl Window {
    /// Begins now.
    pub fn open(server: &Server) -> Result<Self> {
        Ok(Self { server: server.cpu()?, own: cpu("/proc/self/task")?, host: host()?, began: Instant::now() })
    }

    /// Ends now.
    pub fn close(self, server: &Server) -> Result<Seen> {
        let wall = self.began.elapsed();
        let cpu_of_server = server.cpu()?.saturating_sub(self.server);
        let own = cpu("/proc/self/task")?.saturating_sub(self.own);
        let others = host()?.saturating_sub(self.host).saturating_sub(cpu_of_server + own);
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        Ok(Seen { wall, cpu: cpu_of_server, others: others.as_secs_f64() / (wall.as_secs_f64() * processors) })
    }
}
