//! `divvy groups`: what a coordinator knows of its groups.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::Value;

use super::address::host_port;
use super::failure::{Failure, Kind};
use super::kafka::Kafka;
use super::output::{Output, aside, plain};
use super::security::SecurityArgs;
use super::{ADMIN, SERVER, admin};

mod delete;
mod describe;
mod foreign;
mod history;
mod list;
mod reset_offsets;
mod view;

/// Look at groups, delete them, set their offsets.
#[derive(Subcommand, Debug)]
pub enum Groups {
    /// The groups with their states
    List(list::List),
    /// One group: members, what they own and offer, what is suspended and why
    Describe(describe::Describe),
    /// Delete groups that have no members, with all that they have committed
    Delete(delete::Delete),
    /// Set how far a group has come. Without --execute it only shows what would be
    ResetOffsets(reset_offsets::ResetOffsets),
    /// The last generations of a group: what began each, by which module, how long it took
    History(history::History),
}

/// Whom to ask.
#[derive(Args, Debug)]
struct Source {
    /// The coordinator [default: 127.0.0.1:9092]
    #[arg(long, value_name = "HOST:PORT", value_parser = host_port)]
    server: Option<String>,
    /// Its admin port, which knows more than Kafka's protocol can say [default: 127.0.0.1:9640 if --server is not given]
    #[arg(long, value_name = "HOST:PORT", value_parser = host_port)]
    admin: Option<String>,
    #[command(flatten)]
    security: SecurityArgs,
}

/// What the admin port said of a path.
struct AdminAnswer {
    /// Where it is.
    address: String,
    /// None: there is no such thing.
    value: Option<Value>,
}

impl Source {
    fn server(&self) -> &str {
        self.server.as_deref().unwrap_or(SERVER)
    }

    fn connect(&self) -> Result<Kafka> {
        Kafka::connect(self.server(), &self.security)
    }

    /// What the admin port says of a path; none if Kafka's port is to be asked. An admin port that was named is the one
    /// that is meant: only where a server was named beside it may that one answer instead.
    fn ask_admin(&self, path: &str) -> Result<Option<AdminAnswer>> {
        // A server at another address has another admin port, which nobody named: the usual one may be a stranger's.
        let usual = (self.server() == SERVER).then_some(ADMIN);
        let Some(address) = self.admin.as_deref().or(usual) else { return Ok(None) };
        match admin::get(address, path) {
            Ok(value) => Ok(Some(AdminAnswer { address: address.to_owned(), value })),
            Err(error) if self.admin.is_some() && self.server.is_none() => {
                let remedy = "check --admin, or name the coordinator with --server";
                Err(Failure::of(Kind::Unreachable, format!("no answer from {address} ({error:#}): {remedy}")))
            }
            Err(error) => {
                if self.admin.is_some() {
                    let told = "this is what Kafka's protocol can tell";
                    aside(&plain(&format!("note: no answer from {address} ({error:#}); {told}")));
                }
                Ok(None)
            }
        }
    }
}

impl Groups {
    /// Does it.
    pub fn run(self, output: &Output) -> Result<()> {
        match self {
            Groups::List(list) => list.run(output),
            Groups::Describe(describe) => describe.run(output),
            Groups::Delete(delete) => delete.run(output),
            Groups::ResetOffsets(reset) => reset.run(output),
            Groups::History(history) => history.run(output),
        }
    }
}
