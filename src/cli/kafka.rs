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
    /// Connects, logs in if told to, and asks what is served.
    pub fn connect(address: &str, security: &SecurityArgs) -> Result<Self> {
        Self::open(address, security.read()?)
    }

    /// The same with what was read already.
    pub fn open(address: &str, security: Security) -> Result<Self> {
        let dial = Dial { client_id: Text::from("divvy-cli"), security };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("the runtime cannot start")?;
        let connection = runtime.block_on(dial.open(address)).map_err(|error| not_reached(&error))?;
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

fn not_reached(error: &Unreachable) -> anyhow::Error {
    if error.is_refusal() {
        return Failure::of(Kind::Failed, error.to_string());
    }
    Failure::of(Kind::Unreachable, format!("{error}, with --server HOST:PORT"))
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
