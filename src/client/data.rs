//! Where the records are, when that is not where the group is: a Kafka cluster that knows topics, racks and ends of
//! partitions, beside a coordinator that knows none of them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::peer::{Connection, Dial};

/// A cluster that is only asked about topics.
pub(super) struct Data {
    bootstrap: Vec<String>,
    dial: Dial,
    /// The last connection, as long as it holds.
    kept: Mutex<Option<Arc<Connection>>>,
}

impl Data {
    /// Nothing is connected to yet.
    pub(super) fn new(bootstrap: Vec<String>, dial: Dial) -> Self {
        Self { bootstrap, dial, kept: Mutex::default() }
    }

    /// A connection to any of its brokers.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(connection) = kept.filter(|connection| !connection.is_over()) {
            return Ok(connection);
        }
        let opened = self.dial.open_any(&self.bootstrap).await;
        let connection = Arc::new(opened.map_err(|error| {
            error.map_or_else(|| "there is no address to ask about topics".to_owned(), |error| error.to_string())
        })?);
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&connection));
        Ok(connection)
    }

    /// One of its brokers.
    pub(super) async fn open(&self, address: &str) -> Result<Connection, String> {
        self.dial.open(address).await.map_err(|error| error.to_string())
    }
}
