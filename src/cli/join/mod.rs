//! `divvy join`: a member that prints what happens to it, and leaves in good order.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::Value;

use super::SERVER;
use super::failure::{Failure, Kind};
use super::logs;
use super::modules::Modules;
use super::output::Output;
use super::signals::Stop;
use crate::server::config::LogFormat;

mod events;

/// Be a member of a group, and print what happens.
#[derive(Args, Debug)]
pub struct Join {
    /// The coordinator, or any broker of a Kafka cluster
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER)]
    server: String,
    /// The group
    #[arg(long)]
    group: String,
    /// The topics to share, for type consumer
    #[arg(long = "topic", value_name = "NAME", value_delimiter = ',', required_if_eq("protocol_type", "consumer"))]
    topics: Vec<String>,
    /// What kind of group: consumer shares partitions; single-writer elects one active member
    #[arg(long, default_value = "consumer")]
    protocol_type: String,
    #[command(flatten)]
    modules: Modules,
    /// The assignors to offer, most wanted first: `rack-aware` or `rack-aware@1` [default: those made to be offered]
    #[arg(long = "assignor", value_name = "NAME", value_delimiter = ',')]
    assignors: Vec<String>,
    /// What strategies may know of this member, such as `weight=2`
    #[arg(long = "fact", value_name = "KEY=VALUE", value_parser = fact)]
    facts: Vec<(String, Value)>,
    /// Where it stands: the fact `rack`
    #[arg(long, default_value = "")]
    rack: String,
    /// A name for people
    #[arg(long, default_value = "divvy")]
    client_id: String,
    /// What is logged to stderr: error, warn, info, debug, trace
    #[arg(long = "log", value_name = "FILTER", env = "DIVVY_LOG", default_value = "warn")]
    log_filter: String,
}

/// `weight=2` is a number, `zone=a` a text: a value that is JSON counts as what it says.
fn fact(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((key.to_owned(), value))
}
