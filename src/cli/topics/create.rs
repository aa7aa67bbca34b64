//! `divvy topics create NAME --partitions N`.

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::cli::SERVER;
use crate::cli::address::{host_port, partitions, topic};
use crate::cli::kafka::{Kafka, refused};
use crate::cli::output::Output;
use crate::cli::security::SecurityArgs;
use crate::wire::messages::create_topics::{CreatableTopic, CreateTopicsRequest};

/// Make a topic.
#[derive(Args, Debug)]
pub struct Create {
    /// Its name
    #[arg(value_parser = topic)]
    topic: String,
    /// How many partitions, from 1 to 1000000: the most members that can share its work
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = partitions)]
    partitions: i32,
    /// The server
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_port)]
    server: String,
    #[command(flatten)]
    security: SecurityArgs,
}

impl Create {
    /// Makes it.
    pub fn run(self, output: &Output) -> Result<()> {
        let topic = CreatableTopic {
            name: self.topic.as_str().into(),
            num_partitions: self.partitions,
            // As the server likes: without a cluster there is nothing to replicate.
            replication_factor: -1,
            ..Default::default()
        };
        let request = CreateTopicsRequest { topics: vec![topic], ..Default::default() };
        let answer = Kafka::connect(&self.server, &self.security)?.ask(&request)?;
        let made = answer.topics.first().with_context(|| format!("{} says nothing about the topic", self.server))?;
        if made.error_code.is_error() {
            // The server's own sentence names it.
            return Err(refused("the topic is not made", made.error_code, made.error_message.as_ref()));
        }
        let partitions = if made.num_partitions > 0 { made.num_partitions } else { self.partitions };
        output.print(&json!({ "name": self.topic, "partitions": partitions }), || {
            format!("topic {} has {partitions} partitions", self.topic)
        })
    }
}
