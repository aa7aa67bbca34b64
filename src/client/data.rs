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
        let mut first = None;
        for address in &self.bootstrap {
            match self.dial.open(address).await {
                Ok(connection) => {
                    let connection = Arc::new(connection);
                    *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&connection));
                    return Ok(connection);
                }
                Err(error) => first = first.or(Some(error.to_string())),
            }
        }
        Err(first.unwrap_or_else(|| "there is no address to ask about topics".to_owned()))
    }

    /// One of its brokers.
    pub(super) async fn open(&self, address: &str) -> Result<Connection, String> {
        self.dial.open(address).await.map_err(|error| error.to_string())
    }
}
