//! `divvy topics delete TOPIC…`.

use anyhow::Result;
use clap::Args;

use crate::cli::SERVER;
use crate::cli::address::{host_port, topic};
use crate::cli::confirm::Confirm;
use crate::cli::kafka::{Kafka, refused};
use crate::cli::outcomes::{self, Outcome};
use crate::cli::output::Output;
use crate::cli::security::SecurityArgs;
use crate::wire::messages::delete_topics::{DeletableTopicResult, DeleteTopicState, DeleteTopicsRequest};

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
    #[command(flatten)]
    security: SecurityArgs,
}

impl Delete {
    /// Deletes them.
    pub fn run(mut self, output: &Output) -> Result<()> {
        self.topics.sort();
        self.topics.dedup();
        let mut server = Kafka::connect(&self.server, &self.security)?;
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
        let mut outcomes: Vec<Outcome> = answer.responses.iter().map(outcome).collect();
        outcomes.sort_by(|a, b| a.name.cmp(&b.name));
        outcomes::tell(&outcomes, output)
    }
}

fn outcome(it: &DeletableTopicResult) -> Outcome {
    let name = it.name.as_ref().map(|name| name.to_string()).unwrap_or_default();
    let what = format!("topic {name} is not deleted");
    Outcome {
        done: format!("topic {name} is deleted"),
        error: it.error_code.is_error().then(|| refused(&what, it.error_code, it.error_message.as_ref())),
        name: ("name", name),
    }
}
