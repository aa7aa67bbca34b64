//! The values that only a configuration has, each read from its text in one place.

use std::fmt;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

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
            Self::Folder(folder) => Ok(Box::new(EmbeddedStore::open(folder)?)),
        }
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
