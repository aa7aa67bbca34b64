//! `divvy topics delete TOPIC…`.

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::cli::SERVER;
use crate::cli::address::{host_port, topic};
use crate::cli::confirm::Confirm;
use crate::cli::kafka::{Kafka, refused};
use crate::cli::output::Output;
use crate::wire::messages::delete_topics::{DeleteTopicState, DeleteTopicsRequest};

/// Delete topics, and what every group has committed for them. A client that still names one makes it anew, unless
/// `topics.auto.create` is off.
#[derive(Args, Debug)]
pub struct Delete {
    /// Their names
    #[arg(required = true, value_name = "TOPIC", value_parser = topic)]
    topics: Vec<String>,
    #[command(flatten)]
    confirm: Confirm,
    /// The server
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_port)]
    server: String,
}

/// What became of a topic.
#[derive(Serialize)]
struct Line {
    name: String,
    deleted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Delete {
    /// Deletes them.
    pub fn run(mut self, output: &Output) -> Result<()> {
        self.topics.sort();
        self.topics.dedup();
        let mut server = Kafka::connect(&self.server)?;
        let names = self.topics.join(", ");
        self.confirm.ask(&format!("delete {names} at {}, with all that groups have committed there", self.server))?;
        let by_name =
            |name: &String| DeleteTopicState { name: Some(name.as_str().into()), topic_id: Default::default() };
        let request = DeleteTopicsRequest {
            topics: self.topics.iter().map(by_name).collect(),
            topic_names: self.topics.iter().map(|name| name.as_str().into()).collect(),
            timeout_ms: 30_000,
            ..Default::default()
        };
        let answer = server.ask(&request)?;
        let mut failure = None;
        let lines = answer.responses.iter().map(|it| {
            let name = it.name.as_ref().map(|name| name.to_string()).unwrap_or_default();
            let error = it
                .error_code
                .is_error()
                .then(|| refused(&format!("topic {name} is not deleted"), it.error_code, it.error_message.as_ref()));
            let line = Line { name, deleted: error.is_none(), error: error.as_ref().map(|error| format!("{error:#}")) };
            failure = failure.take().or(error);
            line
        });
        let lines: Vec<Line> = lines.collect();
        let done = lines.iter().filter(|line| line.deleted).map(|line| format!("topic {} is deleted", line.name));
        let done: Vec<String> = done.collect();
        match failure {
            Some(error) if done.is_empty() => Err(error),
            failure => {
                output.print(&lines, || done.join("\n"))?;
                failure.map_or(Ok(()), Err)
            }
        }
    }
}
