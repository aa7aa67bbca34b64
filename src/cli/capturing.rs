//! `--capture DIR`: each call of a strategy that this process makes as a leader becomes a file.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use crate::client::Builder;
use crate::sandbox::{CaptureBounds, Captures};

/// What is still to be written when a command ends has this long.
const GRACE: Duration = Duration::from_secs(5);

/// The flag that every command which leads takes.
#[derive(Args, Clone, Debug)]
pub struct CaptureArgs {
    /// Record each call of a strategy that this makes as the group's leader: a file each, the last 100 and 256 MiB of them, for
    /// `divvy assignor replay` and `diff`. What members say of themselves, and the strategy's settings, stand in them: these
    /// may be secrets
    #[arg(long, value_name = "DIR")]
    capture: Option<PathBuf>,
    #[arg(skip)]
    open: Option<Captures>,
}

/// Dropped when the command ends: what was recorded is written first.
pub struct Recording(Option<Captures>);

impl Drop for Recording {
    fn drop(&mut self) {
        self.0.iter().for_each(|captures| captures.flush(GRACE));
    }
}

impl CaptureArgs {
    /// Opens the folder, if one is named.
    pub fn open(&mut self) -> Result<Recording> {
        if let Some(folder) = &self.capture {
            let opened = Captures::open(folder, CaptureBounds::default());
            self.open = Some(opened.map_err(|error| Failure::of(Kind::Failed, format!("--capture: {error}")))?);
        }
        Ok(Recording(self.open.clone()))
    }

    /// The member, recorded if it is to be.
    pub fn of(&self, builder: Builder) -> Builder {
        match &self.open {
            Some(captures) => builder.captures(captures),
            None => builder,
        }
    }
}
