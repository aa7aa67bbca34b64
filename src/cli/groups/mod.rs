//! `divvy groups`: what a coordinator knows of its groups.

use anyhow::Result;
use clap::{Args, Subcommand};

use super::output::Output;
use super::{ADMIN, SERVER};

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
    /// The admin port; none if it might be another server's.
    fn admin(&self) -> Option<&str> {
        self.admin.as_deref().or((self.server == SERVER).then_some(ADMIN))
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
