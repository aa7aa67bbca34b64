//! `divvy topics add-partitions TOPIC --to N`.

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::cli::SERVER;
use crate::cli::address::{host_port, partitions, topic};
use crate::cli::kafka::{Kafka, refused};
use crate::cli::output::Output;
use crate::cli::security::SecurityArgs;
use crate::wire::messages::create_partitions::{CreatePartitionsRequest, CreatePartitionsTopic};

/// Give a topic more partitions. They are never taken away.
#[derive(Args, Debug)]
pub struct AddPartitions {
    /// Its name
    #[arg(value_parser = topic)]
    topic: String,
    /// How many it is to have, the old ones among them
    #[arg(long, value_name = "N", value_parser = partitions)]
    to: i32,
    /// Only say whether it could be done
    #[arg(long)]
    dry_run: bool,
    /// The server
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_port)]
    server: String,
    #[command(flatten)]
    security: SecurityArgs,
}

impl AddPartitions {
    /// Adds them.
    pub fn run(self, output: &Output) -> Result<()> {
        let topic = CreatePartitionsTopic { name: self.topic.as_str().into(), count: self.to, assignments: None };
        let request = CreatePartitionsRequest {
            topics: vec![topic],
            timeout_ms: 30_000,
            validate_only: self.dry_run,
            ..Default::default()
        };
        let answer = Kafka::connect(&self.server, &self.security)?.ask(&request)?;
        let grown = answer.results.first().with_context(|| format!("{} says nothing about the topic", self.server))?;
        if grown.error_code.is_error() {
            return Err(refused("no partition is added", grown.error_code, grown.error_message.as_ref()));
        }
        let (name, count) = (&self.topic, self.to);
        output.print(&json!({ "name": name, "partitions": count, "done": !self.dry_run }), || match self.dry_run {
            true => format!("topic {name} could have {count} partitions: nothing was done"),
            false => format!("topic {name} has {count} partitions"),
        })
    }
}
