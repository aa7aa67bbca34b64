//! `divvy.toml`: every setting of a server, each with a default, so that `divvy serve` needs no file at all.

mod document;
mod file;
mod group_section;
mod kafka_section;
mod server_section;
mod topic_section;
mod values;

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use self::file::{ConfigFile, read_regular};
pub use self::kafka_section::{KafkaCluster, servers};
pub use self::values::{
    DataPlace, HostPort, LOG_FILTER, LoadHeartbeat, LogFormat, admin_address, data_place, is_log_filter,
    is_module_name, is_protocol_wish, listen_address,
};
use crate::group::{GroupLimits, GroupSettings};
use crate::ids::TopicName;
use crate::sandbox::{CaptureBounds, Trust};
use crate::server::topics::{self, MAX_RACKS};
use crate::topics::Topic;

/// The file that is read when none is named.
pub const DEFAULT_FILE: &str = "divvy.toml";

/// Kafka's port.
const DEFAULT_PORT: u16 = 9092;

/// More shards than any machine has cores: one more only costs memory.
pub const MAX_SHARDS: usize = 256;

/// Up to so many cores one shard serves all groups: its connections then live on its own thread.
const CORES_PER_SHARD: usize = 4;

/// What a server is told. [`Config::load`] reads it, the command line sets fields over it, and [`Config::check`] then
/// judges it as a whole.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// `listen`: where clients connect. Port 0 takes any free one.
    pub listen: SocketAddr,
    /// `admin`: where people and their tools look; none when it is `"off"`.
    pub admin: Option<SocketAddr>,
    /// `advertised.listener`: the address that clients are told; none tells them `listen`.
    pub advertised_listener: Option<HostPort>,
    /// `insecure`: whether others than this machine may connect although nothing is encrypted.
    pub insecure: bool,
    /// `data`: where groups, offsets and created topics are kept.
    pub data: DataPlace,
    /// `group.*` and `offset.metadata.max.bytes`.
    pub limits: GroupLimits,
    /// `socket.request.max.bytes`: the longest request.
    pub socket_request_max_bytes: usize,
    /// `load.wait.ms`: how long requests wait while their group is being read from the store.
    pub load_wait: Duration,
    /// `load.heartbeat`: what a heartbeat gets meanwhile.
    pub load_heartbeat: LoadHeartbeat,
    /// `topics.auto.create`: the partitions of a topic that a client asks to make by naming it; none refuses.
    pub topics_auto_create: Option<u32>,
    /// `kafka.*`: a cluster that the topics come from.
    pub kafka: Option<KafkaCluster>,
    /// `shards`: how many tasks share the groups; none follows the cores.
    pub shards: Option<usize>,
    /// `assignors`: the folder of the coordinator's own modules; none looks into the usual places when a group needs one.
    pub assignors: Option<PathBuf>,
    /// The usual places: no key, they depend on where the program is and where it was started.
    pub usual_assignors: Vec<PathBuf>,
    /// `module.cache`: where replaced modules are kept.
    pub module_cache: Option<PathBuf>,
    /// `module.trusted_keys`, `module.allowed`, `module.wasi_shim`, `module.max_call_ms` and `module.max_memory_mib`: which modules may
    /// serve, may import something, and how much they may ask for.
    pub trust: Trust,
    /// `capture.dir`: where calls of the coordinator's own modules are recorded.
    pub capture_dir: Option<PathBuf>,
    /// `capture.max.files` and `capture.max.bytes`.
    pub capture_bounds: CaptureBounds,
    /// `log.format`.
    pub log_format: LogFormat,
    /// `log.filter`: in the words of `tracing`.
    pub log_filter: String,
    /// `[[topic]]`.
    pub topics: Vec<(TopicName, Topic)>,
    /// `[[group]]`: settings by pattern of group ids, in the file's order; the first that matches holds.
    pub groups: Vec<(String, GroupSettings)>,
}

impl Default for Config {
    fn default() -> Self {
        let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        Self {
            listen: loopback(DEFAULT_PORT),
            admin: Some(loopback(9640)),
            advertised_listener: None,
            insecure: false,
            data: DataPlace::Folder("./divvy-data".into()),
            limits: GroupLimits::default(),
            socket_request_max_bytes: 100 * 1024 * 1024,
            load_wait: Duration::from_secs(5),
            load_heartbeat: LoadHeartbeat::Ok,
            // Unmodified clients expect that naming a topic makes it, as on a broker with Kafka's defaults. 12 goes
            // evenly among 2, 3, 4 or 6 workers, where Kafka's own 1 would leave all but one of them idle.
            topics_auto_create: Some(12),
            kafka: None,
            shards: None,
            assignors: None,
            usual_assignors: Vec::new(),
            module_cache: None,
            trust: Trust::default(),
            capture_dir: None,
            capture_bounds: CaptureBounds::default(),
            log_format: LogFormat::Text,
            log_filter: "info".to_owned(),
            topics: Vec::new(),
            groups: Vec::new(),
        }
    }
}

impl Config {
    /// Reads the named file, which must exist, or else `./divvy.toml` if there is one, or else takes the defaults.
    pub fn load(path: Option<&Path>) -> Result<Self, ConfigError> {
        ConfigFile::new(path.map(Path::to_owned)).load()
    }

    /// Reads the text of a file. `origin` names it in errors; all of them are collected.
    pub fn parse(text: &str, origin: &str) -> Result<Self, ConfigError> {
        server_section::read(text, origin)
    }

    /// Every key with its default and what it means, as a file to begin with.
    pub fn sample() -> &'static str {
        include_str!("sample.toml")
    }

    /// How many shards there are on a machine with so many cores.
    pub fn shard_count(&self, cores: usize) -> usize {
        self.shards.unwrap_or(cores / CORES_PER_SHARD).clamp(1, MAX_SHARDS)
    }

    /// What a single key cannot tell: to be asked after the command line has had its say, before a server starts.
    pub fn check(&self) -> Result<(), ConfigError> {
        let mut problems = Vec::new();
        self.check_addresses(&mut problems);
        let GroupLimits { min_session_timeout: min, max_session_timeout: max, .. } = self.limits;
        if min > max {
            problems.push(format!(
                "group.min.session.timeout.ms = {} is above group.max.session.timeout.ms = {}: no member could join; \
                 swap them",
                min.as_millis(),
                max.as_millis()
            ));
        }
        if self.kafka.as_ref().is_some_and(|kafka| kafka.servers.is_empty()) {
            problems.push(
                "kafka.… says how a Kafka cluster is connected to, and not where it is: write kafka.bootstrap.servers = \
                 \"HOST:PORT\" (--kafka), or leave these keys out"
                    .to_owned(),
            );
        }
        self.check_topics(&mut problems);
        if problems.is_empty() { Ok(()) } else { Err(ConfigError::of(problems)) }
    }

    fn check_addresses(&self, problems: &mut Vec<String>) {
        let admin = self.admin.map(|address| ("admin", address));
        for (key, address) in [("listen", self.listen)].into_iter().chain(admin) {
            if !address.ip().is_loopback() && !self.insecure {
                problems.push(format!(
                    "{key} = \"{address}\" lets other machines connect, and nothing is encrypted or asked for a login \
                     yet: use 127.0.0.1, or say `insecure = true` (--insecure) if the network is yours alone"
                ));
            }
        }
        if self.listen.ip().is_unspecified() && self.advertised_listener.is_none() {
            // Port 0 is a port that nobody knows yet.
            let port = Some(self.listen.port()).filter(|&port| port != 0).unwrap_or(DEFAULT_PORT);
            problems.push(format!(
                "listen = \"{}\" is no address that clients could connect to: say which one they use, such as \
                 `advertised.listener = \"divvy.example.org:{port}\"` (--advertised-listener)",
                self.listen
            ));
        }
        if self.listen.port() != 0 && self.admin == Some(self.listen) {
            problems.push(format!("listen and admin are both \"{}\": give one of them another port", self.listen));
        }
    }

    fn check_topics(&self, problems: &mut Vec<String>) {
        let mut names = BTreeSet::new();
        let mut racks = BTreeSet::new();
        for (name, topic) in &self.topics {
            if let Err(error) = topics::check(name.as_str(), topic) {
                problems.push(error.message);
            }
            if !names.insert(name) {
                problems.push(topic_section::twice(name));
            }
            racks.extend(topic.racks.iter().flatten());
        }
        if racks.len() > MAX_RACKS {
            problems.push(format!("all topics together name {} racks: name at most {MAX_RACKS}", racks.len()));
        }
    }
}

/// What is wrong with a configuration: a whole sentence each, with file, line, value and remedy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// In the file's order; never empty.
    pub problems: Vec<String>,
    /// Whether the file itself is not there.
    pub is_missing: bool,
}

impl ConfigError {
    /// Of a file that was read.
    fn of(problems: Vec<String>) -> Self {
        Self { problems, is_missing: false }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests;
