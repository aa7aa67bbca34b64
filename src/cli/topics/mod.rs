//! `divvy topics`: the named sets of partitions that groups share.

use anyhow::Result;
use clap::Subcommand;

use super::output::Output;

mod add_partitions;
mod create;
mod delete;
mod list;

/// Look at topics, make them, let them grow, delete them.
#[derive(Subcommand, Debug)]
pub enum Topics {
    /// The topics with their partitions and racks
    List(list::List),
    /// Make a topic
    Create(create::Create),
    /// Give a topic more partitions. They are never taken away
    AddPartitions(add_partitions::AddPartitions),
    /// Delete topics, and what every group has committed for them
    Delete(delete::Delete),
}

impl Topics {
    /// Does it.
    pub fn run(self, output: &Output) -> Result<()> {
        match self {
            Topics::List(list) => list.run(output),
            Topics::Create(create) => create.run(output),
            Topics::AddPartitions(add) => add.run(output),
            Topics::Delete(delete) => delete.run(output),
        }
    }
}
