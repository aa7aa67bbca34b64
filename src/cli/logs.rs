//! What a running process logs, and how much of it: to stderr, so that stdout stays the command's answer.

use anyhow::Result;
use clap::Args;
use tracing_subscriber::EnvFilter;

use super::failure::{Failure, Kind};
use super::output::Output;

/// The flag of commands that go on running.
#[derive(Args, Clone, Debug)]
pub struct Logs {
    /// What is logged to stderr: error, warn, info, debug, trace, or `divvy::group=debug,info`
    #[arg(long = "log", value_name = "FILTER", env = "DIVVY_LOG")]
    filter: Option<String>,
}

impl Logs {
    /// Begins to log; JSON lines if the output is JSON.
    pub fn start(&self, usual: &str, output: &Output) -> Result<()> {
        let text = self.filter.as_deref().unwrap_or(usual);
        let filter = EnvFilter::try_new(text);
        let filter = filter.map_err(|error| Failure::new(Kind::Usage, format!("--log {text}: {error}; try `info`")))?;
        let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        if output.is_json() {
            logs.json().init();
        } else {
            logs.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).with_target(false).init();
        }
        Ok(())
    }
}
