//! `divvy topics`: the named sets of partitions that groups share.

use anyhow::Result;
use clap::Subcommand;

use super::output::Output;

mod create;
mod list;

/// Look at topics, make topics.
#[derive(Subcommand, Debug)]
pub enum Topics {
    /// The topics with their partitions and racks
    List(list::List),
    /// Make a topic
    Create(create::Create),
}

impl Topics {
    /// Does it.
    pub fn run(self, output: &Output) -> Result<()> {
        match self {
            Topics::List(list) => list.run(output),
            Topics::Create(create) => create.run(output),
        }
    }
}
