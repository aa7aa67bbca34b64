//! A real Apache Kafka broker: one node that is its own controller (KRaft), on ports of its own, its files under
//! `target/kafka`. It ends with us, and its folder with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::clock::Stopwatch;
use crate::process::{Process, wait_until};
use crate::shell::target;
use crate::{java, ports};

mod answers;
mod certificates;
pub mod command;
mod groups;
mod leftovers;
mod properties;

pub use certificates::Certificates;
pub use groups::Generation;
pub use properties::{Listener, PASSWORD, RACK, REPEAT_LOGIN, Settings, USERS};

/// The folder of `tests/interop` that pins the version.
const FOLDER: &str = "broker";

/// A broker that does not answer by then has failed: it takes 4 s alone on two cores.
const STARTS_WITHIN: Duration = Duration::from_secs(90);

/// A broker that was asked to stop.
const STOPS_WITHIN: Duration = Duration::from_secs(60);

/// What the broker may have: it starts in a third of it.
const HEAP: &str = "-Xmx512m";

/// Gets the broker's jars.
pub fn fetch() -> Result<()> {
    java::jars(FOLDER).map(drop)
}

/// Its log says when.
const LOG_TIMES: &str = "-Dorg.slf4j.simpleLogger.showDateTime=true";

/// A running broker.
pub struct Broker {
    /// What clients need to trust it, and to be trusted.
    pub certificates: Certificates,
    /// From its start to its first answer.
    pub started_in: Duration,
    folder: PathBuf,
    classpath: String,
    ports: properties::Ports,
    process: Process,
}

impl Broker {
    /// Starts one with an empty folder, and waits until it answers.
    pub fn start(settings: &Settings) -> Result<Self> {
        let classpath = java::jars(FOLDER)?;
        leftovers::clear()?;
        let folder = leftovers::folder(&target().join("kafka"))?;
        let ports = ports::free()?;
        let certificates = Certificates::make(&folder)?;
        let text = properties::text(&folder, &ports, settings);
        let file = folder.join("server.properties");
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
        format(&classpath, &folder, settings.controller.is_none())?;
        let (process, started_in) = run(&classpath, &folder, &ports)?;
        Ok(Self { certificates, started_in, folder, classpath, ports, process })
    }

    /// Starts a broker more of the same cluster, which stands in that rack.
    pub fn another(&self, rack: &str) -> Result<Self> {
        let controller = Some(self.ports[properties::LISTENERS.len()]);
        Self::start(&Settings { controller, ..Settings::default() }.with("node.id", 2).with("broker.rack", rack))
    }

    /// Where clients that say nothing of TLS or a login reach it.
    pub fn address(&self) -> String {
        self.at(Listener::Plain)
    }

    /// Where a listener is.
    pub fn at(&self, listener: Listener) -> String {
        // The name, not the number: a certificate is for a name, and all of ours are for this one.
        format!("{}:{}", listener.host(), self.ports[listener as usize])
    }

    /// Where its files lie; gone when it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where its classes are, those of Kafka's command line tools among them.
    pub fn classpath(&self) -> &str {
        &self.classpath
    }

    /// Every generation of a group that it has stored, the oldest first.
    pub fn generations(&self, group: &str) -> Result<Vec<Generation>> {
        groups::generations(&self.folder.join("data"), group)
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) -> Result<()> {
        leftovers::idle(&self.folder);
        self.process.kill()
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(&mut self) -> Result<()> {
        self.process.signal("TERM")?;
        self.process.end(STOPS_WITHIN)?;
        leftovers::idle(&self.folder);
        Ok(())
    }

    /// Starts it again: same addresses, same files.
    pub fn restart(&mut self) -> Result<()> {
        (self.process, self.started_in) = run(&self.classpath, &self.folder, &self.ports)?;
        Ok(())
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        self.process.log_tail()
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // Ended already is what we want; its files go, whatever it was doing.
        let _ = self.process.kill();
        leftovers::remove(&self.folder);
    }
}

/// Makes an empty log of metadata, the controller's already with the users.
fn format(classpath: &str, folder: &Path, controls: bool) -> Result<()> {
    let mut command = java::command(classpath, "kafka.tools.StorageTool");
    let role = if controls { "--standalone" } else { "--no-initial-controllers" };
    command.args(["format", "--cluster-id", "ZGl2dnktaW50ZXJvcC0wMQ", role, "--config"]);
    command.arg(folder.join("server.properties"));
    for user in USERS.iter().filter(|_| controls) {
        for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
            command.args(["--add-scram", &format!("{mechanism}=[name={user},password={PASSWORD}]")]);
        }
    }
    let output = command.output().context("the broker's storage tool could not be started")?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("the broker's files could not be made ({}):\n{}", output.status, String::from_utf8_lossy(&said).trim());
    }
    Ok(())
}

fn run(classpath: &str, folder: &Path, ports: &properties::Ports) -> Result<(Process, Duration)> {
    let watch = Stopwatch::start();
    let mut command = java::command_with(&[HEAP, LOG_TIMES], classpath, "kafka.Kafka");
    command.arg(folder.join("server.properties")).current_dir(folder);
    let mut process = Process::start("Kafka", &command, &folder.join("broker.log"))?;
    leftovers::running(folder, process.id());
    let port = ports[Listener::Plain as usize];
    let answered = wait_until("the Kafka broker to answer", STARTS_WITHIN, || {
        while process.line_at_hand()?.is_some() {}
        Ok(answers::to_api_versions(port).then_some(()))
    });
    // It ends with this function.
    let answered = answered.inspect_err(|_| leftovers::idle(folder));
    answered.with_context(|| process.log_tail())?;
    Ok((process, watch.elapsed()))
}
