//! The values that only a configuration has, each read from its text in one place.

use std::fmt;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::store::{EmbeddedStore, MemoryStore, Store, StoreError};

/// A host, by name or by address, and a port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostPort {
    /// The name or address; an IPv6 address without its brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

impl FromStr for HostPort {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "write HOST:PORT, such as \"divvy.example.org:9092\" (an IPv6 address in brackets)";
        let (host, port) = text.rsplit_once(':').ok_or(EXPECTED)?;
        let host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(address) if address.parse::<Ipv6Addr>().is_ok() => address,
            None if !host.is_empty() && !host.contains([':', '/', '[', ']', ' ']) => host,
            _ => return Err(EXPECTED),
        };
        match port.parse() {
            Ok(port) if port != 0 => Ok(Self { host: host.to_owned(), port }),
            _ => Err(EXPECTED),
        }
    }
}

/// Reads an address to listen on; `localhost` is the loopback address.
pub fn listen_address(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix("localhost:") {
        Some(port) => Some(SocketAddr::from(([127, 0, 0, 1], port.parse().ok()?))),
        None => text.parse().ok(),
    }
}

/// Reads the address of the admin port; `off` is none.
pub fn admin_address(text: &str) -> Option<Option<SocketAddr>> {
    if text == "off" { Some(None) } else { listen_address(text).map(Some) }
}

/// What a filter of the log is made of.
pub const LOG_FILTER: &str =
    r#"a level (error, warn, info, debug, trace, off), or a filter, such as "info,divvy::server=debug""#;

/// Whether the log can be filtered so. A word alone must be a level: `tracing` would take any other for the name of a
/// module, and log nothing at all.
pub fn is_log_filter(text: &str) -> bool {
    let is_bare = |directive: &&str| !directive.contains(['=', '[', ']', '{', '}', '"']);
    let mut bare = text.split(',').filter(is_bare);
    bare.all(|word| word.parse::<LevelFilter>().is_ok()) && EnvFilter::builder().parse(text).is_ok()
}

/// Whether an assignor can be asked for so: by its name, or by `name@version`. Foreign members' protocols are among them,
/// so the name may be anything that is one word.
pub fn is_protocol_wish(text: &str) -> bool {
    let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
    let is_word = !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter.is_control());
    let is_number = |text: &str| !text.starts_with('+') && text.parse::<u32>().is_ok_and(|number| number > 0);
    is_word && version.is_none_or(is_number)
}

/// Whether a text may be a strategy's name, as its manifest has it.
pub fn is_module_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    (1..=64).contains(&text.len()) && text.chars().all(plain)
}

/// Reads where the data is kept.
pub fn data_place(text: &str) -> Option<DataPlace> {
    (!text.is_empty()).then(|| DataPlace::from(text))
}

/// Where a server keeps what must outlive it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DataPlace {
    /// Nowhere: it is gone when the server ends.
    Memory,
    /// In this folder.
    Folder(PathBuf),
}

impl DataPlace {
    /// Opens the store.
    pub fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        match self {
            Self::Memory => Ok(Box::new(MemoryStore::new())),
            Self::Folder(folder) => {
                // At the start nothing is tried again: what cannot be a folder is said here, and not as a fault to wait out.
                std::fs::create_dir_all(folder).map_err(|error| StoreError {
                    message: format!(
                        "the data folder {} cannot be made or used ({error}): name another one with `data` (--data)",
                        folder.display()
                    ),
                })?;
                Ok(Box::new(EmbeddedStore::open(folder)?))
            }
        }
    }

    /// Whether another process has the data.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Folder(folder) if EmbeddedStore::is_held(folder))
    }
}

impl From<&str> for DataPlace {
    /// `memory`, or else a folder; a folder of that name is `./memory`.
    fn from(text: &str) -> Self {
        match text {
            "memory" => Self::Memory,
            folder => Self::Folder(folder.into()),
        }
    }
}

/// What a heartbeat gets while its group is being read from the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoadHeartbeat {
    /// No error: some clients leave their group when they are told to wait.
    Ok,
    /// The error that the proposal names.
    NotReady,
}

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}
