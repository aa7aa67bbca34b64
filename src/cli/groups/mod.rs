//! `divvy groups`: what a coordinator knows of its groups.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::Value;

use super::output::Output;
use super::{ADMIN, SERVER, admin};

mod describe;
mod list;
mod view;

/// Look at groups.
#[derive(Subcommand, Debug)]
pub enum Groups {
    /// The groups with their states
    List(list::List),
    /// One group: members, what they own and offer, what is suspended and why
    Describe(describe::Describe),
}

/// Whom to ask.
#[derive(Args, Debug)]
struct Source {
    /// The coordinator
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER)]
    server: String,
    /// Its admin port, which knows more than Kafka's protocol can say [default: 127.0.0.1:9640 if --server is not given]
    #[arg(long, value_name = "HOST:PORT")]
    admin: Option<String>,
}

impl Source {
    /// What the admin port says of a path (none of it: there is no such thing); none if there is no port to ask.
    fn ask_admin(&self, path: &str) -> Option<Option<Value>> {
        // A server at another address has another admin port, which nobody named: the usual one may be a stranger's.
        let usual = (self.server == SERVER).then_some(ADMIN);
        let address = self.admin.as_deref().or(usual)?;
        match admin::get(address, path) {
            Ok(answer) => Some(answer),
            Err(error) => {
                if self.admin.is_some() {
                    eprintln!("note: no answer from {address} ({error:#}); this is what Kafka's protocol can tell");
                }
                None
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
        }
    }
}
