//! A small client of Kafka's protocol: one connection, one question at a time, for commands that ask and print.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::runtime::Runtime;

use super::failure::{Failure, Kind};
use super::security::SecurityArgs;
use crate::membership::event::Peer;
use crate::peer::{Connection, Dial, Security, Unreachable};
use crate::wire::{ErrorCode, Request, Text};

/// A question that takes longer has no answer; a coordinator waits for its store at most half of this.
const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// A connection to a server that said what it serves.
pub struct Kafka {
    connection: Connection,
    runtime: Runtime,
}

impl Kafka {
    /// Connects to what `--server` names, logs in if told to, and asks what is served.
    pub fn connect(address: &str, security: &SecurityArgs) -> Result<Self> {
        Self::dial(address, security.read()?, "--server")
    }

    /// The same with what that flag names, and what was read already.
    pub fn dial(address: &str, security: Security, flag: &str) -> Result<Self> {
        let dial = Dial::new("divvy-cli", security);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("the runtime cannot start")?;
        let connection = runtime.block_on(dial.open(address)).map_err(|error| not_reached(&error, flag))?;
        Ok(Self { connection, runtime })
    }

    /// Whether it is divvy.
    pub fn is_divvy(&self) -> bool {
        self.connection.peer() == Peer::Divvy
    }

    /// Asks, in the newest version that both know.
    pub fn ask<R: Request>(&mut self, request: &R) -> Result<R::Response> {
        let (address, name) = (self.connection.address(), R::KEY.name());
        if !self.connection.speaks(R::KEY) {
            let text = format!("{address} serves no version of {name} that divvy speaks");
            return Err(Failure::of(Kind::Failed, text));
        }
        self.runtime.block_on(self.connection.call(request, ANSWERS_WITHIN)).map_err(|reason| {
            Failure::of(Kind::Unreachable, format!("{address} does not answer {name} ({reason}): look at its log"))
        })
    }
}

fn not_reached(error: &Unreachable, flag: &str) -> anyhow::Error {
    let kind = if error.is_refusal() { Kind::Failed } else { Kind::Unreachable };
    // Every sentence about an address ends with what to give instead.
    let flag = if error.is_nobody() { format!(", with {flag}") } else { String::new() };
    Failure::of(kind, format!("{error}{flag}"))
}

/// What a server's refusal means for whoever asked.
pub fn refused(what: &str, error: ErrorCode, message: Option<&Text>) -> anyhow::Error {
    let why = message.map(|text| text.to_string()).filter(|text| !text.is_empty());
    let kind = match error {
        ErrorCode::GroupIdNotFound | ErrorCode::UnknownTopicOrPartition => Kind::NotFound,
        _ => Kind::Failed,
    };
    Failure::of(kind, format!("{what}: {}", why.unwrap_or_else(|| error.to_string())))
}
