//! Members of other libraries, all of a kind in one process: `tests/interop/fleet`.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::channel;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::crew::{Crew, HEARTBEAT, Kind, SESSION};
use crate::ledger::News;

/// How xtask says how a fleet is started: words separated by line ends.
const KINDS: [(&str, &str); 2] = [("java", "DIVVY_BENCH_JAVA"), ("librdkafka", "DIVVY_BENCH_LIBRDKAFKA")];

/// The kinds that are there.
pub fn kinds() -> Vec<(&'static str, Vec<String>)> {
    let words = |variable| std::env::var(variable).ok().map(|words| words.lines().map(str::to_owned).collect());
    KINDS.iter().filter_map(|(name, variable)| Some((*name, words(*variable)?))).collect()
}

/// A fleet.
pub struct Theirs {
    child: Child,
    stdin: ChildStdin,
}

/// Where a kind's last fleet wrote what its library logs.
pub fn log(kind: &str) -> PathBuf {
    std::env::temp_dir().join(format!("divvy-bench-fleet-{kind}.log"))
}

/// A crew of them, under `cooperative-sticky`.
pub fn crew(kind: &str, words: &[String], address: &str, group: &str, topic: &str) -> Result<Crew<Theirs>> {
    let (program, arguments) = words.split_first().context("a fleet has a program")?;
    let mut command = Command::new(program);
    let [session, heartbeat] = [SESSION, HEARTBEAT].map(|time| time.as_millis().to_string());
    command.args(arguments).args([address, group, topic, &session, &heartbeat]);
    let log = File::create(log(kind))?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn()?;
    let stdin = child.stdin.take().context("stdin was piped above")?;
    let stdout = child.stdout.take().context("stdout was piped above")?;
    let (tell, news) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let Some(news) = read(&line) else { continue };
            if tell.send(news).is_err() {
                return;
            }
        }
    });
    Ok(Crew::new(Theirs { child, stdin }, news))
}

fn read(line: &str) -> Option<News> {
    let said: Value = serde_json::from_str(line).ok()?;
    let numbers = said["partitions"].as_array()?.iter().filter_map(Value::as_i64);
    Some(News {
        at: said["at"].as_f64()?,
        member: said["member"].as_str()?.to_owned(),
        owns: numbers.filter_map(|number| i32::try_from(number).ok()).collect(),
        leads: false,
        is_over: said["event"] == "left",
    })
}

impl Kind for Theirs {
    fn start(&mut self, name: &str, _: Option<&str>) -> Result<()> {
        writeln!(self.stdin, "start {name}").and_then(|()| self.stdin.flush()).context("the fleet does not listen")
    }

    fn stop(&mut self, name: &str) -> Result<()> {
        writeln!(self.stdin, "stop {name}").and_then(|()| self.stdin.flush()).context("the fleet does not listen")
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // Already ended is what we want.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
