//! `divvy serve`: coordinates groups until it is told to stop.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use super::failure::{Failure, Kind};
use super::logs;
use super::output::Output;
use super::signals::Stop;
use crate::server::Server;
use crate::server::config::{Config, DataPlace, HostPort, LogFormat};

/// Coordinate groups.
#[derive(Args, Debug)]
pub struct Serve {
    /// The configuration [default: ./divvy.toml if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where clients connect; port 0 takes a free one [default: 127.0.0.1:9092]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Where /groups, /modules, /topics, /metrics and /health are [default: 127.0.0.1:9640]
    #[arg(long, value_name = "ADDRESS:PORT")]
    admin: Option<SocketAddr>,
    /// The address that clients are told to use, behind Docker or NAT
    #[arg(long, value_name = "HOST:PORT")]
    advertised_listener: Option<HostPort>,
    /// The folder of what must outlive the process, or `memory` [default: ./divvy-data]
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
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

impl Serve {
    /// Serves.
    pub fn run(self, output: &Output) -> Result<()> {
        if self.print_config {
            return output.line(Config::sample().trim_end());
        }
        let config = self.config(output)?;
        logs::start(&config.log_filter, config.log_format)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        runtime.context("the runtime cannot start")?.block_on(serve(config, output))
    }

    fn config(self, output: &Output) -> Result<Config> {
        let usage = |error: crate::server::config::ConfigError| Failure::of(Kind::Usage, error.to_string());
        let mut config = Config::load(self.config.as_deref()).map_err(usage)?;
        config.listen = self.listen.unwrap_or(config.listen);
        config.admin = self.admin.or(config.admin);
        config.advertised_listener = self.advertised_listener.or(config.advertised_listener);
        config.data = self.data.as_deref().map_or(config.data, DataPlace::from);
        config.log_filter = self.log_filter.unwrap_or(config.log_filter);
        config.insecure |= self.insecure;
        if output.is_json() {
            config.log_format = LogFormat::Json;
        }
        config.check().map_err(usage)?;
        Ok(config)
    }
}

async fn serve(config: Config, output: &Output) -> Result<()> {
    let mut stop = Stop::listen()?;
    let server = Server::start(config).await.map_err(|error| Failure::of(kind(&error), error.to_string()))?;
    let (kafka, admin) = (server.addr(), server.admin_addr());
    let event = json!({ "event": "serving", "kafka": kafka.to_string(), "admin": admin.map(|admin| admin.to_string()) });
    output.print(&event, || match admin {
        Some(admin) => format!("divvy coordinates groups on {kafka}, and shows them on http://{admin}/groups; Ctrl-C stops it"),
        None => format!("divvy coordinates groups on {kafka}; Ctrl-C stops it"),
    })?;
    stop.wished().await;
    server.stop().await;
    Ok(())
}
