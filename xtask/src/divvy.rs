//! divvy itself, as the demo and the interop runs use it: the program, a server that can be killed, members that print JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ports;
use crate::process::Process;
use crate::shell::{cargo, show, target};

/// A server that does not stand by then has failed.
const STARTS_WITHIN: Duration = Duration::from_secs(20);

/// Commands that ask and print.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);

/// Builds the program. `--workspace`, as the tests do: other features would mean another wasmtime.
pub fn build() -> Result<PathBuf> {
    show(
        "build divvy (wasmtime takes minutes the first time)",
        &mut cargo(&["build", "--workspace", "--bin", "divvy"]),
    )?;
    Ok(target().join("debug/divvy"))
}

/// Builds divvy's own member of `tests/interop`, in the same way.
pub fn build_member() -> Result<PathBuf> {
    let mut command = cargo(&["build", "--workspace", "--example", "interop-divvy"]);
    show("build divvy's member", &mut command)?;
    Ok(target().join("debug/examples/interop-divvy"))
}

/// A `divvy serve` on ports of its own, its files in one folder.
pub struct Server {
    program: PathBuf,
    folder: PathBuf,
    ports: [u16; 2],
    words: Vec<String>,
    process: Process,
}

impl Server {
    /// Starts it with that configuration.
    pub fn start(program: &Path, folder: &Path, config: &str) -> Result<Self> {
        Self::start_with(program, folder, config, &[])
    }

    /// The same with a few words more.
    pub fn start_with(program: &Path, folder: &Path, config: &str, words: &[&str]) -> Result<Self> {
        let path = folder.join("divvy.toml");
        fs::write(&path, config).with_context(|| format!("{} cannot be written", path.display()))?;
        let ports = ports::free()?;
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let process = serve(program, folder, ports, &words)?;
        Ok(Self { program: program.to_owned(), folder: folder.to_owned(), ports, words, process })
    }

    /// Where it speaks Kafka's protocol.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.ports[0])
    }

    /// Where it answers questions.
    pub fn admin(&self) -> String {
        format!("127.0.0.1:{}", self.ports[1])
    }

    /// Kills it with -9.
    pub fn kill(&mut self) -> Result<()> {
        self.process.kill()
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(&mut self) -> Result<()> {
        let status = self.process.interrupt(ANSWERS_WITHIN)?;
        if !status.success() {
            bail!("divvy serve stopped with {status}:\n{}", self.log_tail());
        }
        Ok(())
    }

    /// Makes it read its configuration again.
    pub fn hang_up(&self) -> Result<()> {
        self.process.signal("HUP")
    }

    /// Starts it again: same address, same files.
    pub fn restart(&mut self) -> Result<()> {
        self.process = serve(&self.program, &self.folder, self.ports, &self.words)?;
        Ok(())
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        self.process.log_tail()
    }

    /// What `divvy groups describe` says.
    pub fn describe(&self, group: &str) -> Result<Value> {
        let arguments = ["groups", "describe", group, "--server", &self.address(), "--admin", &self.admin()];
        ask(&self.program, &arguments)
    }
}

fn serve(program: &Path, folder: &Path, ports: [u16; 2], words: &[String]) -> Result<Process> {
    let [kafka, admin] = ports.map(|port| format!("127.0.0.1:{port}"));
    let mut command = Command::new(program);
    command.args([
        "serve",
        "--json",
        "--config",
        "divvy.toml",
        "--data",
        "data",
        "--listen",
        &kafka,
        "--admin",
        &admin,
    ]);
    command.args(words).current_dir(folder);
    let mut process = Process::start("divvy serve", &command, &folder.join("serve.log"))?;
    let line = process.line(STARTS_WITHIN)?;
    match serde_json::from_str::<Value>(&line) {
        Ok(event) if event["event"] == "serving" => Ok(process),
        _ => bail!("divvy serve said {line:?} instead of that it serves"),
    }
}

/// Runs a command of divvy and reads its JSON.
pub fn ask(program: &Path, arguments: &[&str]) -> Result<Value> {
    let output = Command::new(program).args(arguments).arg("--json").output();
    let output = output.with_context(|| format!("{} could not be started", program.display()))?;
    if !output.status.success() {
        bail!("`divvy {}` failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("`divvy {}` printed no JSON", arguments.join(" ")))
}

/// A `divvy join`, and what it said last.
pub struct Member {
    /// Its client id: a name for people.
    pub name: String,
    /// Its folder of modules.
    pub modules: PathBuf,
    /// Its last `assigned` event; none before the first and after a loss.
    pub assigned: Option<Value>,
    /// Whether it misses its coordinator.
    pub coordinator_lost: bool,
    process: Process,
}

/// Who joins what.
pub struct Role<'a> {
    /// Its client id.
    pub name: &'a str,
    /// Where the coordinator listens.
    pub server: &'a str,
    /// The group.
    pub group: &'a str,
    /// The topic that the group shares.
    pub topic: &'a str,
    /// Where the member stands.
    pub rack: Option<&'a str>,
}

/// Who joins which group, whatever it is about.
pub struct Seat<'a> {
    /// Its client id.
    pub name: &'a str,
    /// Where the coordinator listens.
    pub server: &'a str,
    /// The group.
    pub group: &'a str,
}

impl Member {
    /// Joins: in `folder/NAME` lie its modules and its log.
    pub fn join(program: &Path, folder: &Path, role: &Role<'_>) -> Result<Self> {
        let Role { name, server, group, topic, rack } = *role;
        let mut words = vec!["--topic", topic];
        words.extend(rack.map(|rack| ["--rack", rack]).iter().flatten());
        Self::join_with(program, folder, &Seat { name, server, group }, &words)
    }

    /// The same with words of one's own for what it takes part in, and how.
    pub fn join_with(program: &Path, folder: &Path, seat: &Seat<'_>, words: &[&str]) -> Result<Self> {
        let Seat { name, server, group } = *seat;
        let modules = modules_of(folder, name);
        fs::create_dir_all(&modules).with_context(|| format!("{} cannot be made", modules.display()))?;
        let mut command = Command::new(program);
        command.args(["join", "--json", "--server", server, "--group", group, "--client-id", name]);
        command.arg("--assignors").arg(&modules).args(words);
        command.env_remove("DIVVY_ASSIGNORS").current_dir(folder);
        let process = Process::start(name, &command, &folder.join(name).join("join.log"))?;
        Ok(Self { name: name.to_owned(), modules, assigned: None, coordinator_lost: false, process })
    }

    /// What it has said since it was last asked, in order.
    pub fn news(&mut self) -> Vec<Value> {
        let mut news = Vec::new();
        // A member that has ended says nothing more; who waits for it finds out.
        while let Ok(Some(line)) = self.process.line_at_hand() {
            let event = serde_json::from_str(&line).unwrap_or(Value::String(line));
            self.note(&event);
            news.push(event);
        }
        news
    }

    fn note(&mut self, event: &Value) {
        match event["event"].as_str() {
            Some("assigned") => self.assigned = Some(event.clone()),
            Some("coordinator_lost") => self.coordinator_lost = true,
            Some("coordinator_found") => self.coordinator_lost = false,
            Some("lost" | "failed" | "left" | "ended") => self.assigned = None,
            _ => {}
        }
    }

    /// What it owns of a topic.
    pub fn owns(&self, topic: &str) -> Vec<i64> {
        let partitions = self.assigned.as_ref().and_then(|event| event["partitions"][topic].as_array());
        partitions.map(|partitions| partitions.iter().filter_map(Value::as_i64).collect()).unwrap_or_default()
    }

    /// The protocol and the generation that it works in.
    pub fn works_in(&self) -> Option<(&str, i64)> {
        let event = self.assigned.as_ref()?;
        Some((event["protocol"].as_str()?, event["generation"].as_i64()?))
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) -> Result<()> {
        self.process.kill()
    }

    /// Leaves in good order.
    pub fn leave(&mut self) -> Result<()> {
        let status = self.process.interrupt(ANSWERS_WITHIN)?;
        if !status.success() {
            bail!("{} left with {status}:\n{}", self.name, self.process.log_tail());
        }
        Ok(())
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        self.process.log_tail()
    }
}

/// Where the modules of a member lie; made if need be before it joins.
pub fn modules_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join("assignors")
}

/// Puts a module into a folder as an editor or a deployment does: written aside, then moved in.
pub fn drop_module(from: &Path, folder: &Path, name: &str) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let (aside, place) = (folder.join(format!(".{name}.part")), folder.join(format!("{name}.wasm")));
    fs::copy(from, &aside).with_context(|| format!("{} cannot be copied", from.display()))?;
    fs::rename(&aside, &place).with_context(|| format!("{} cannot be written", place.display()))
}
