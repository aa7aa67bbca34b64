//! Other implementations on the same bytes in the same run: Java's assignors and franz-go's balancers, as programs that read a
//! group from a file and say how long its plan took (`tests/interop/assignors`). `cargo xtask bench assignors --peers` builds them.

use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::path::Parts;
use crate::report::Report;
use crate::world::Group;

/// The class path of the Java program, and the Go program; set by xtask.
const JAVA: &str = "DIVVY_PEER_JAVA";
const GO: &str = "DIVVY_PEER_GO";

/// The heap that Kafka's tests of a million partitions need.
const HEAP: &str = "-Xmx5g";

/// A peer is measured for about so long, at least once.
const SECONDS: &str = "5";

/// A peer that takes longer is given up: Java's sticky assignors would keep everybody waiting for many minutes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Those that are there.
pub struct Peers {
    java: Option<String>,
    go: Option<PathBuf>,
    folder: tempfile::TempDir,
}

/// What a peer says: how long deciding took, and the whole path from the members' bytes to theirs, in milliseconds.
#[derive(Deserialize)]
struct Said {
    assign_ms: f64,
    whole_ms: f64,
}

impl Peers {
    /// Those that the environment names.
    pub fn of_environment() -> Result<Self> {
        let folder = tempfile::tempdir().context("no folder for temporary files")?;
        Ok(Self { java: std::env::var(JAVA).ok(), go: std::env::var_os(GO).map(PathBuf::from), folder })
    }

    /// Runs those that know the strategy on the group.
    pub fn beside(
        &self,
        strategy: &str,
        workload: &str,
        group: &Group,
        parts: &Parts,
        report: &mut Report,
    ) -> Result<()> {
        if self.java.is_none() && self.go.is_none() {
            return Ok(());
        }
        let file = self.folder.path().join("group");
        write(group, &file).with_context(|| format!("{} cannot be written", file.display()))?;
        let ours = parts.whole.as_secs_f64() * 1e3;
        for (peer, mut command) in self.commands(strategy) {
            let said = run(command.arg(&file).args([strategy, SECONDS]))
                .with_context(|| format!("{peer}, {strategy}, {workload}"))?;
            let Some(said) = said else {
                let patience = PATIENCE.as_secs_f64();
                report.note(&format!("{strategy}: {peer}, whole path, given up after"), patience, "s");
                report.note(&format!("{strategy}: {peer} / divvy, more than"), patience * 1e3 / ours, "times");
                continue;
            };
            report.note(&format!("{strategy}: {peer}, whole path"), said.whole_ms, "ms");
            report.note(&format!("{strategy}: {peer}, deciding alone"), said.assign_ms, "ms");
            report.note(&format!("{strategy}: {peer} / divvy, whole path"), said.whole_ms / ours, "times");
        }
        Ok(())
    }

    fn commands(&self, strategy: &str) -> Vec<(&'static str, Command)> {
        let mut commands = Vec::new();
        if let Some(classpath) = self
            .java
            .as_ref()
            .filter(|_| knows(&["range", "roundrobin", "sticky", "cooperative-sticky", "uniform"], strategy))
        {
            let mut java = Command::new("java");
            java.args([HEAP, "-cp", classpath, "Assignors"]);
            commands.push(("Java", java));
        }
        if let Some(go) =
            self.go.as_ref().filter(|_| knows(&["range", "roundrobin", "sticky", "cooperative-sticky"], strategy))
        {
            commands.push(("franz-go", Command::new(go)));
        }
        commands
    }
}

fn knows(all: &[&str], strategy: &str) -> bool {
    all.contains(&strategy)
}

/// None if it takes too long. What it complains of is seen at the terminal.
fn run(command: &mut Command) -> Result<Option<Said>> {
    let program = command.get_program().to_owned();
    let peer = command.stdout(Stdio::piped()).spawn();
    let mut peer = peer.with_context(|| format!("{program:?} could not be started"))?;
    let mut stdout = peer.stdout.take().context("its output was asked for")?;
    let (sender, said) = channel();
    thread::spawn(move || {
        let mut text = String::new();
        let _ = sender.send(stdout.read_to_string(&mut text).map(|_| text));
    });
    let Ok(said) = said.recv_timeout(PATIENCE) else {
        peer.kill()?;
        peer.wait()?;
        return Ok(None);
    };
    let (said, status) = (said?, peer.wait()?);
    if !status.success() {
        bail!("it failed ({status})");
    }
    serde_json::from_str(said.trim()).with_context(|| format!("it said {said:?}")).map(Some)
}

/// Numbers are four bytes, the larger first; texts and bytes have their length before them: topics with their partitions, then
/// members with the metadata that they joined with.
fn write(group: &Group, file: &PathBuf) -> std::io::Result<()> {
    let mut to = BufWriter::new(std::fs::File::create(file)?);
    let mut put = |parts: &[&[u8]]| -> std::io::Result<()> { parts.iter().try_for_each(|part| to.write_all(part)) };
    let number = |number: usize| (number as u32).to_be_bytes();
    put(&[&number(group.topics.0.len())])?;
    for (name, topic) in &group.topics.0 {
        let name = name.as_str().as_bytes();
        put(&[&number(name.len()), name, &topic.partitions.to_be_bytes()])?;
    }
    put(&[&number(group.members.len())])?;
    for member in &group.members {
        let id = member.id.as_str().as_bytes();
        put(&[&number(id.len()), id, &number(member.metadata.len()), &member.metadata])?;
    }
    to.flush()
}
