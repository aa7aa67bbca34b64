//! What a running process logs: to stderr, so that stdout stays the command's answer.

use std::io::IsTerminal;

use anyhow::Result;
use tracing_subscriber::EnvFilter;

use super::failure::{Failure, Kind};
use crate::server::config::LogFormat;

/// Begins to log what the filter lets through.
pub fn start(filter: &str, format: LogFormat) -> Result<()> {
    let parsed = EnvFilter::try_new(filter);
    let parsed = parsed.map_err(|error| Failure::of(Kind::Usage, format!("--log {filter}: {error}; try `info`")))?;
    let logs = tracing_subscriber::fmt().with_env_filter(parsed).with_writer(std::io::stderr);
    match format {
        LogFormat::Json => logs.json().init(),
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).with_target(false).init(),
    }
    Ok(())
}
