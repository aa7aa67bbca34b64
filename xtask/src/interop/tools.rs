//! Kafka's own command line tools, and what they print.

use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use super::member::STEP;
use crate::java;
use crate::process::wait_until;

/// The class behind `kafka-consumer-groups`.
pub const GROUPS: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";

/// The class behind `kafka-console-consumer`.
pub const CONSUMER: &str = "org.apache.kafka.tools.consumer.ConsoleConsumer";

/// Kafka's tools, told where a server is.
pub struct Tools {
    pub classpath: String,
    pub server: String,
}

impl Tools {
    /// One of them.
    pub fn command(&self, class: &str) -> Command {
        let mut command = java::command(&self.classpath, class);
        command.args(["--bootstrap-server", &self.server]);
        command
    }

    /// Runs it; what it prints must have each of these texts, where runs of blanks count as one.
    pub fn says(&self, class: &str, arguments: &str, texts: &[&str]) -> Result<()> {
        let mut command = self.command(class);
        command.args(arguments.split_whitespace());
        let name = class.rsplit('.').next().unwrap_or(class);
        says(&format!("{name} {arguments}"), &mut command, texts)
    }

    /// The same, again and again until it is so: members come and go in their own time.
    pub fn will_say(&self, class: &str, arguments: &str, texts: &[&str]) -> Result<()> {
        let mut last = None;
        let seen = wait_until(arguments, STEP, || match self.says(class, arguments, texts) {
            Ok(()) => Ok(Some(())),
            Err(error) => {
                last = Some(error);
                Ok(None)
            }
        });
        seen.with_context(|| last.map(|error| format!("{error:#}")).unwrap_or_default())
    }
}

/// Runs a tool; what it prints must have each of these texts.
pub fn says(what: &str, command: &mut Command, texts: &[&str]) -> Result<()> {
    let output = command.output().with_context(|| format!("`{what}` could not be started"))?;
    let told = flat(&output);
    for text in texts {
        if !told.contains(text) {
            let Output { status, stdout, stderr } = &output;
            let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
            bail!("`{what}` does not say {text:?} ({status}):\n{stdout}\n{stderr}");
        }
    }
    println!("    {what}: {}", texts.join(" | "));
    Ok(())
}

/// What it printed, blanks and line ends made one.
fn flat(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let lines = String::from_utf8_lossy(&both).into_owned();
    lines.split_whitespace().collect::<Vec<_>>().join(" ")
}
