//! `divvy serve`: coordinates groups until it is told to stop.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use super::failure::{Failure, Kind, ReaderGone};
use super::logs;
use super::modules;
use super::output::Output;
use crate::sandbox::raise_open_files;
use crate::server::config::{
    Config, ConfigError, ConfigFile, DataPlace, HostPort, KafkaCluster, LogFormat, admin_address, data_place,
    listen_address, servers,
};
use crate::server::{self, Ended, Reader, Server, StartError};

/// Coordinate groups.
#[derive(Args, Debug)]
pub struct Serve {
    /// The configuration [default: ./divvy.toml if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where clients connect; port 0 takes a free one [default: 127.0.0.1:9092]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen)]
    listen: Option<SocketAddr>,
    /// Where /groups, /modules, /topics, /metrics and /health are, or `off` [default: 127.0.0.1:9640]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = admin)]
    admin: Option<Admin>,
    /// The address that clients are told to use, behind Docker or NAT
    #[arg(long, value_name = "HOST:PORT")]
    advertised_listener: Option<HostPort>,
    /// The folder of what must outlive the process, or `memory` [default: ./divvy-data]
    #[arg(long, value_name = "DIR", value_parser = data)]
    data: Option<DataPlace>,
    /// The folder of the coordinator's own modules, for the groups that it leads [default: $DIVVY_ASSIGNORS, ./assignors, PROGRAM/../share/divvy/assignors]
    #[arg(long, value_name = "DIR")]
    assignors: Option<PathBuf>,
    /// Where replaced modules are kept, so that the older version of a strategy survives a restart, and compiled code; not
    /// shared
    #[arg(long, value_name = "DIR")]
    module_cache: Option<PathBuf>,
    #[command(flatten)]
    trusted: modules::Trusted,
    /// Take topics, partitions and racks from a Kafka cluster, and watch them; a login is for kafka.… in the configuration
    #[arg(long, value_name = "HOST:PORT", value_parser = cluster)]
    kafka: Option<Servers>,
    /// Let other machines connect, although nothing is encrypted
    #[arg(long)]
    insecure: bool,
    /// What is logged to stderr: error, warn, info, debug, trace, or `divvy::group=debug,info` [default: info]
    #[arg(long = "log", value_name = "FILTER", env = "DIVVY_LOG")]
    log_filter: Option<String>,
    /// Print every setting with its default and its meaning, as a file to begin with
    #[arg(long)]
    print_config: bool,
}

/// Where the admin port is, if there is one.
#[derive(Clone, Copy, Debug)]
struct Admin(Option<SocketAddr>);

fn listen(text: &str) -> Result<SocketAddr, &'static str> {
    listen_address(text).ok_or("write ADDRESS:PORT, such as 127.0.0.1:9092 or localhost:0")
}

fn admin(text: &str) -> Result<Admin, &'static str> {
    admin_address(text).map(Admin).ok_or("write ADDRESS:PORT, such as 127.0.0.1:9640, or off")
}

fn data(text: &str) -> Result<DataPlace, &'static str> {
    data_place(text).ok_or("write the path of a folder, or memory")
}

/// Any brokers of a cluster.
#[derive(Clone, Debug)]
struct Servers(Vec<String>);

fn cluster(text: &str) -> Result<Servers, &'static str> {
    servers(text).map(Servers).ok_or("write HOST:PORT, or several with commas, such as kafka-1:9092,kafka-2:9092")
}

impl Serve {
    /// Serves.
    pub fn run(self, output: &Output) -> Result<()> {
        if self.print_config {
            let sample = Config::sample().trim_end();
            return output.print(&json!({ "config": sample }), || sample.to_owned());
        }
        let file = ConfigFile::new(self.config.clone());
        let config = self.config(&file, output).map_err(not_read)?;
        logs::start(&config.log_filter, config.log_format)?;
        raise_open_files();
        let runtime = server::runtime(&config).context("the runtime cannot start")?;
        let is_json = output.is_json();
        runtime.block_on(serve(config, Arc::new(move || self.read(&file, is_json)), output))
    }

    fn config(&self, file: &ConfigFile, output: &Output) -> Result<Config, ConfigError> {
        let config = self.read(file, output.is_json())?;
        config.check()?;
        Ok(config)
    }

    /// The file with the command line's words over it; read again on SIGHUP.
    fn read(&self, file: &ConfigFile, is_json: bool) -> Result<Config, ConfigError> {
        let mut config = file.load()?;
        config.listen = self.listen.unwrap_or(config.listen);
        config.admin = self.admin.map_or(config.admin, |Admin(address)| address);
        config.advertised_listener = self.advertised_listener.clone().or(config.advertised_listener);
        config.data = self.data.clone().unwrap_or(config.data);
        config.log_filter = self.log_filter.clone().unwrap_or(config.log_filter);
        if let Some(Servers(named)) = &self.kafka {
            let read = config.kafka.take();
            let kafka = read.unwrap_or_else(|| KafkaCluster::at(Vec::new()));
            config.kafka = Some(KafkaCluster { servers: named.clone(), ..kafka });
        }
        config.insecure |= self.insecure;
        config.assignors = self.assignors.clone().or_else(modules::from_environment).or(config.assignors);
        config.usual_assignors = modules::usual_places();
        config.module_cache = self.module_cache.clone().or(config.module_cache);
        let trusted = self.trusted.read_again();
        let trusted = trusted
            .map_err(|why| ConfigError { is_missing: false, problems: vec![format!("--trusted-key: {why}")] })?;
        config.trust = trusted.over(config.trust);
        if is_json {
            config.log_format = LogFormat::Json;
        }
        Ok(config)
    }
}

fn not_read(error: ConfigError) -> anyhow::Error {
    Failure::of(Kind::of_file(error.is_missing), error.to_string())
}

async fn serve(config: Config, reader: Reader, output: &Output) -> Result<()> {
    let data = config.data.clone();
    // Whoever reads the log as JSON may have both streams in one.
    let said = if config.log_format == LogFormat::Json { output.as_json() } else { *output };
    let server = Server::builder(config).admin(crate::admin::routes).reader(reader).start().await;
    let server = server.map_err(|error| Failure::of(kind(&error, &data), error.to_string()))?;
    let (kafka, admin) = (server.addr(), server.admin_addr());
    let event =
        json!({ "event": "serving", "kafka": kafka.to_string(), "admin": admin.map(|admin| admin.to_string()) });
    let printed = said.print(&event, || match admin {
        Some(admin) => {
            format!("divvy coordinates groups on {kafka}, and shows them on http://{admin}/groups; Ctrl-C stops it")
        }
        None => format!("divvy coordinates groups on {kafka}; Ctrl-C stops it"),
    });
    match printed {
        // It serves its groups, whoever reads where.
        Err(error) if error.is::<ReaderGone>() => {}
        other => other?,
    }
    match server.run().await {
        Ended::Stopped => Ok(()),
        Ended::Failed(reason) => Err(Failure::of(Kind::Failed, reason)),
    }
}

fn kind(error: &StartError, data: &DataPlace) -> Kind {
    match error {
        StartError::Config(_) => Kind::Usage,
        StartError::Security(error) => Kind::of_file(error.is_missing()),
        StartError::Modules(_) => Kind::NotFound,
        StartError::Listen { error, .. } if error.kind() == std::io::ErrorKind::AddrInUse => Kind::InUse,
        StartError::Store(_) if data.is_held() => Kind::InUse,
        StartError::Listen { .. } | StartError::Store(_) | StartError::Captures(_) | StartError::Thread(_) => {
            Kind::Failed
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: Serve,
    }

    #[test]
    fn a_cluster_of_the_command_line_is_connected_to_as_the_file_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("divvy.toml");
        let text =
            "kafka.security.protocol = \"SASL_SSL\"\nkafka.sasl.mechanism = \"PLAIN\"\nkafka.sasl.username = \"u\"\n";
        let kafka = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let line = ["divvy", "--config", path.to_str().unwrap(), "--kafka", "kafka:9092"];
            let file = ConfigFile::new(Some(path.clone()));
            Line::try_parse_from(line).unwrap().serve.read(&file, false).unwrap().kafka.unwrap()
        };
        let named = "kafka.bootstrap.servers = \"another:9092\"\n".to_owned();
        for text in [text, &(named + text)] {
            let kafka = kafka(text);
            assert_eq!(kafka.servers, ["kafka:9092"]);
            assert!(kafka.security.tls.is_some() && kafka.security.login.is_some(), "{kafka:?}");
        }
        assert_eq!(kafka(""), KafkaCluster::at(vec!["kafka:9092".to_owned()]));
    }
}
