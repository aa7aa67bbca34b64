//! One member of a group: a program of `tests/interop` that says what it owns and does what it is told.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::bench::Bench;
use super::clients::Client;
use crate::process::{Process, wait_until};

/// For one step of a story: generous, since everything runs at once on two cores.
pub const STEP: Duration = Duration::from_secs(90);

/// Who joins: a client, with which strategy, and under which lasting name.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    /// Its client id, which is how it is found among the group's members.
    pub name: &'a str,
    /// The library.
    pub client: &'static Client,
    /// The strategy's name on the wire, or `default`.
    pub strategy: &'a str,
    /// Makes it a static member.
    pub instance: Option<&'a str>,
}

/// Which group, and where.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Where the coordinator listens.
    pub server: &'a str,
    /// The group.
    pub group: &'a str,
    /// The topic that it shares.
    pub topic: &'a str,
    /// Where logs lie.
    pub folder: &'a Path,
}

/// A member made of an unmodified client.
pub struct Member {
    /// Its client id.
    pub name: String,
    /// The library.
    pub client: &'static Client,
    /// What it says that it owns.
    pub owns: BTreeSet<i64>,
    /// How often it was assigned something, as it says.
    pub assignments: i64,
    /// What it owned from when on, as it says, by the wall clock in seconds.
    pub history: Vec<(f64, BTreeSet<i64>)>,
    answers: Vec<Value>,
    process: Process,
}

impl Member {
    /// Starts it; it joins by itself.
    pub fn start(bench: &Bench, place: &Place<'_>, seat: &Seat<'_>) -> Result<Self> {
        Self::start_with(bench.programs.member(seat.client), place, seat)
    }

    /// The same with a command of one's own for the program.
    pub fn start_with(mut command: Command, place: &Place<'_>, seat: &Seat<'_>) -> Result<Self> {
        let Place { server, group, topic, folder } = *place;
        command.args([server, group, topic, seat.name, seat.strategy]).args(seat.instance);
        let process = Process::start(seat.name, &command, &folder.join(format!("{}.log", seat.name)))?;
        let (owns, answers, history) = (BTreeSet::new(), Vec::new(), Vec::new());
        Ok(Self { name: seat.name.to_owned(), client: seat.client, owns, assignments: 0, history, answers, process })
    }

    /// Takes note of what it has said.
    pub fn listen(&mut self) -> Result<()> {
        while let Some(line) = self.process.line_at_hand()? {
            self.note(&line)?;
        }
        Ok(())
    }

    fn note(&mut self, line: &str) -> Result<()> {
        let event: Value = serde_json::from_str(line).with_context(|| format!("{} said {line:?}", self.name))?;
        if event["event"] == "owns" {
            let partitions = event["partitions"].as_array().context("`owns` names partitions")?;
            self.owns = partitions.iter().filter_map(Value::as_i64).collect();
            self.assignments = event["assignments"].as_i64().unwrap_or_default();
            if let Some(at) = event["at"].as_f64() {
                self.history.push((at, self.owns.clone()));
            }
        } else {
            self.answers.push(event);
        }
        Ok(())
    }

    /// Commits an offset and reads it back from the coordinator, as often as a coordinator that comes back requires.
    pub fn commit_and_fetch(&mut self, partition: i64, offset: i64) -> Result<()> {
        let what = format!("{} to read back offset {offset} of partition {partition}", self.name);
        wait_until(&what, STEP, || Ok(self.try_to_commit(partition, offset)?.then_some(())))
    }

    /// The same for the first partition of its own, whichever that is by then: it may lose one while it tries.
    pub fn commit_and_fetch_first(&mut self, offset: i64) -> Result<()> {
        let what = format!("{} to own a partition and to read back offset {offset} of it", self.name);
        wait_until(&what, STEP, || {
            self.listen()?;
            let Some(&partition) = self.owns.first() else { return Ok(None) };
            Ok(self.try_to_commit(partition, offset)?.then_some(()))
        })
    }

    fn try_to_commit(&mut self, partition: i64, offset: i64) -> Result<bool> {
        let committed = self.tell(&format!("commit {partition} {offset}"))?;
        if committed["event"] != "committed" {
            return Ok(false);
        }
        let fetched = self.tell(&format!("fetch {partition}"))?;
        Ok(fetched["event"] == "fetched" && fetched["offset"] == offset)
    }

    /// Reads an offset that must be there.
    pub fn fetch(&mut self, partition: i64, offset: i64) -> Result<()> {
        let answer = wait_until(&format!("{} to fetch an offset", self.name), STEP, || {
            let answer = self.tell(&format!("fetch {partition}"))?;
            Ok((answer["event"] == "fetched").then_some(answer))
        })?;
        if answer["offset"] != offset {
            bail!("{} committed {offset} to partition {partition}, and fetched {}", self.name, answer["offset"]);
        }
        Ok(())
    }

    /// How often it has connected to its coordinator, for a client that has no request of its own to send.
    pub fn reached(&mut self) -> Result<i64> {
        let answer = self.tell("reached")?;
        answer["times"].as_i64().with_context(|| format!("{} was asked how often, and says {answer}", self.name))
    }

    /// Leaves in good order, and ends.
    pub fn leave(&mut self) -> Result<()> {
        let answer = self.tell("leave")?;
        if answer["event"] != "left" {
            bail!("{} was told to leave, and says {answer}", self.name);
        }
        let status = self.process.end(STEP)?;
        if !status.success() {
            bail!("{} left with {status}", self.name);
        }
        Ok(())
    }

    /// Waits until it fails by itself, and has logged why.
    pub fn fails_with(&mut self, reason: &str) -> Result<()> {
        let status = self.process.end(STEP)?;
        if status.success() || !self.log_tail().contains(reason) {
            bail!("{} ended with {status} and not because of {reason}:\n{}", self.name, self.log_tail());
        }
        Ok(())
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) -> Result<()> {
        self.process.kill()
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        self.process.log_tail()
    }

    /// Tells it a command, and waits for its answer.
    pub fn tell(&mut self, command: &str) -> Result<Value> {
        self.listen()?;
        self.answers.clear();
        self.process.say(command)?;
        while self.answers.is_empty() {
            let line = self.process.line(STEP).with_context(|| format!("{} was told to {command}", self.name))?;
            self.note(&line)?;
        }
        Ok(self.answers.remove(0))
    }
}
