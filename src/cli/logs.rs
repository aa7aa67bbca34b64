//! What a running process logs: to stderr, so that stdout stays the command's answer.

use std::io::IsTerminal;

use anyhow::Result;
use tracing_subscriber::EnvFilter;

use super::failure::{Failure, Kind};
use super::output::Output;
use crate::server::config::{LOG_FILTER, LogFormat, is_log_filter};

/// Begins to log what the filter lets through, in the form of the command's answers.
pub fn start_as(output: &Output, filter: &str) -> Result<()> {
    start(filter, if output.is_json() { LogFormat::Json } else { LogFormat::Text })
}

/// Begins to log what the filter lets through.
pub fn start(filter: &str, format: LogFormat) -> Result<()> {
    let refused = || Failure::of(Kind::Usage, format!("--log (or $DIVVY_LOG) {filter:?}: write {LOG_FILTER}"));
    let parsed = Some(filter).filter(|filter| is_log_filter(filter));
    let parsed = parsed.and_then(|filter| EnvFilter::try_new(filter).ok()).ok_or_else(refused)?;
    // A log that nobody reads any more is no reason to panic.
    let logs = tracing_subscriber::fmt().log_internal_errors(false);
    let logs = logs.with_env_filter(parsed).with_writer(std::io::stderr);
    match format {
        LogFormat::Json => logs.json().init(),
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).with_target(false).init(),
    }
    Ok(())
}
