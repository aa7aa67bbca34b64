//! Where a life begins: a made-up group, or a running one as its coordinator describes it.

use anyhow::Result;

use super::spoken::Spokesman;
use crate::assignor::subscribed;
use crate::cli::failure::{Failure, Kind};
use crate::cli::lead::look::{Cluster, patiently};
use crate::ids::TopicName;
use crate::peer::Security;
use crate::topics::TopicTable;
use crate::whatif::limits::MAX_PARTITIONS;
use crate::whatif::{Spec, Start, from_group as described, life};

/// `clicks=12`.
#[derive(Clone, Debug)]
pub struct Topic {
    pub name: String,
    partitions: u32,
}

impl Topic {
    /// Reads it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, count) = text.rsplit_once('=').ok_or("write TOPIC=PARTITIONS, such as clicks=12")?;
        let name = crate::cli::address::topic(name)?;
        let count = count.parse::<u32>().ok().filter(|count| (1..=MAX_PARTITIONS).contains(&u64::from(*count)));
        let partitions = count.ok_or_else(|| format!("write a number of partitions from 1 to {MAX_PARTITIONS}"))?;
        Ok(Self { name, partitions })
    }
}

/// So many members that all read all of these.
pub fn made_up(members: usize, topics: &[Topic], racks: &[String], replicas: usize, is_static: bool) -> Start {
    let topic = |it: &Topic| (TopicName::from(it.name.as_str()), life::topic(it.partitions, racks, replicas));
    let model = Spec { is_static, ..Spec::new("") };
    Start { topics: TopicTable(topics.iter().map(topic).collect()), members: life::crew("m", members, racks, &model) }
}

/// What a running group has at this moment. It is only looked at.
pub fn from_group(group: &str, server: &str, security: Security, said: &mut Spokesman) -> Result<Start> {
    let cluster = Cluster { brokers: server.to_owned(), security, flag: "--server" };
    let found = patiently(|| cluster.group(group), |group| group.is_stable() || group.is_empty())?;
    if found.is_empty() {
        let text = format!(
            "nobody is in group {group}: start its members first, or make a group up with --members and --topics"
        );
        return Err(Failure::of(Kind::NotFound, text));
    }
    if !found.is_stable() {
        let text =
            format!("group {group} is rebalancing: its coordinator does not tell what its members read; try again");
        return Err(Failure::of(Kind::Failed, text));
    }
    if found.protocol_type != "consumer" {
        let kind = &found.protocol_type;
        let text =
            format!("group {group} is of type {kind}: only the state of type consumer can be a start; make one up");
        return Err(Failure::of(Kind::Failed, text));
    }
    let topics = cluster.topics(&subscribed(&found.inputs()))?;
    Ok(described::start(&found, topics, said.among(&found.inputs())))
}
