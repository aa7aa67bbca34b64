//! Why a server does not start.

use std::net::SocketAddr;

use thiserror::Error;

use super::config::ConfigError;
use crate::peer::{SecurityError, in_keys};
use crate::sandbox::CapturesError;
use crate::store::StoreError;

/// Why a server does not start: one sentence with the remedy.
#[derive(Debug, Error)]
pub enum StartError {
    /// The configuration contradicts itself.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An address cannot be listened on.
    #[error("cannot listen on {address}, as `{key}` says: {error}; {remedy}")]
    Listen {
        /// The key of the configuration.
        key: &'static str,
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the Kafka cluster is to be shown cannot be read.
    #[error("kafka.…: {}", in_keys(&.0.to_string()))]
    Security(#[from] SecurityError),
    /// The coordinator's own modules cannot be read.
    #[error("{0}")]
    Modules(String),
    /// Captures cannot be written.
    #[error("capture.dir: {0}")]
    Captures(#[from] CapturesError),
    /// The system gives no thread.
    #[error("the system gives no thread for the store: {0}; raise `ulimit -u`")]
    Thread(std::io::Error),
}
