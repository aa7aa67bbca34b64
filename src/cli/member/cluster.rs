//! `--kafka`: where a member's topics are when its group is divvy's and its records are not.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::cli::address::host_ports;
use crate::cli::failure::{Failure, Kind};
use crate::cli::security;
use crate::client::Builder;
use crate::peer::Security;

/// The cluster, and how it is connected to.
#[derive(Args, Debug)]
pub struct KafkaArgs {
    /// The Kafka cluster that has the records, where --server is `divvy serve`: partitions, racks and lags are asked for there.
    /// divvy has to know the topics too, by its own --kafka or as [[topic]], or it takes no commits for them. Of no use where
    /// --server is a broker of that cluster, nor to a member that shares no topics
    #[arg(long, value_name = "HOST:PORT", value_parser = host_ports)]
    kafka: Option<String>,
    /// How that one is connected to: a file of settings for Kafka's own tools
    #[arg(long, value_name = "FILE", requires = "kafka")]
    kafka_config: Option<PathBuf>,
}

/// Where the topics are, if not at the coordinator.
pub struct Topics(Option<(String, Security)>);

impl KafkaArgs {
    /// Reads the files, before anybody is connected to.
    pub fn read(&self) -> Result<Topics> {
        let Some(address) = &self.kafka else { return Ok(Topics(None)) };
        let security = self.kafka_config.as_deref().map(security::from_file).transpose()?.unwrap_or_default();
        let security = security.read().map_err(|error| Failure::of(Kind::Usage, error.to_string()))?;
        Ok(Topics(Some((address.clone(), security))))
    }
}

impl Topics {
    /// A member that asks there.
    pub fn of(self, builder: Builder) -> Builder {
        match self.0 {
            Some((address, security)) => builder.kafka(&address, security),
            None => builder,
        }
    }
}
