//! The way to a group's coordinator: found through any of the bootstrap addresses, talked to on one connection, and on
//! a second one only while an answer of the first is parked. A divvy coordinator is listened to on a third.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use super::data::Data;
use super::error::Unreachable;
use crate::ids::GroupId;
use crate::membership::Peer;
use crate::peer::{Connection, Dial, address_of};
use crate::wire::messages::find_coordinator::FindCoordinatorRequest;
use crate::wire::{ErrorCode, Text};

/// How to find it.
pub(super) struct Finder {
    pub(super) bootstrap: Vec<String>,
    pub(super) dial: Dial,
    pub(super) group: GroupId,
    /// Where topics are asked for, if not there.
    pub(super) data: Option<Arc<Data>>,
}

impl Finder {
    /// Asks one address after the other. Fails with what the first one said: it is the one that people know.
    pub(super) async fn find(&self) -> Result<Coordinator, Unreachable> {
        let mut first = None;
        for address in &self.bootstrap {
            match self.find_through(address).await {
                Ok(coordinator) => return Ok(coordinator),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| {
            Unreachable::no_coordinator(self.group.as_str(), "nobody", "there is no address to ask")
        }))
    }

    async fn find_through(&self, address: &str) -> Result<Coordinator, Unreachable> {
        let asked = self.dial.open(address).await?;
        let refused = |reason: &str| Unreachable::no_coordinator(self.group.as_str(), address, reason);
        let key = Text::from(self.group.as_str());
        let request = FindCoordinatorRequest { key: key.clone(), coordinator_keys: vec![key], ..Default::default() };
        let answer = asked.call(&request, asked.request_timeout()).await.map_err(|reason| refused(&reason))?;
        // A list since version 4, one before.
        let (error, host, port) = match answer.coordinators.into_iter().next() {
            Some(it) => (it.error_code, it.host, it.port),
            None => (answer.error_code, answer.host, answer.port),
        };
        if error.is_error() {
            return Err(refused(&refusal(error)));
        }
        let found = address_of(&host, port);
        let main = if found == address { asked } else { self.dial.open(&found).await? };
        Ok(Coordinator {
            main: Arc::new(main),
            side: OnceCell::new(),
            ear: Mutex::default(),
            dial: self.dial.clone(),
            data: self.data.clone(),
        })
    }
}

fn refusal(error: ErrorCode) -> String {
    match error {
        ErrorCode::CoordinatorNotAvailable => "none is available yet; it is asked again".to_owned(),
        ErrorCode::GroupAuthorizationFailed => {
            "this client may not use the group: ask for DESCRIBE and READ on it".to_owned()
        }
        error => error.to_string(),
    }
}

/// A coordinator that was reached.
pub(super) struct Coordinator {
    main: Arc<Connection>,
    side: OnceCell<Arc<Connection>>,
    /// While nobody listens on it.
    ear: Mutex<Option<Connection>>,
    dial: Dial,
    data: Option<Arc<Data>>,
}

impl Coordinator {
    /// What it understands.
    pub(super) fn peer(&self) -> Peer {
        self.main.peer()
    }

    /// For requests that the coordinator may park.
    pub(super) fn main(&self) -> Arc<Connection> {
        Arc::clone(&self.main)
    }

    /// The connection for an answer that is held: it is given back afterwards, unless it broke.
    pub(super) async fn ear(&self) -> Result<Connection, String> {
        let kept = self.ear.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(connection) => Ok(connection),
            None => self.aside().await,
        }
    }

    /// The answer came.
    pub(super) fn keep_ear(&self, connection: Connection) {
        *self.ear.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
    }

    /// A connection of somebody's own, for questions that nothing else should wait behind.
    pub(super) async fn aside(&self) -> Result<Connection, String> {
        self.open(self.main.address()).await
    }

    /// For questions about topics that are asked now and then.
    pub(super) async fn about_topics(&self) -> Result<Arc<Connection>, String> {
        match &self.data {
            Some(data) => data.connection().await,
            None => self.prompt().await,
        }
    }

    /// For questions about topics that nothing else should wait behind.
    pub(super) async fn about_topics_aside(&self) -> Result<Arc<Connection>, String> {
        match &self.data {
            Some(data) => data.connection().await,
            None => self.aside().await.map(Arc::new),
        }
    }

    /// A broker that has records.
    pub(super) async fn open_broker(&self, address: &str) -> Result<Connection, String> {
        match &self.data {
            Some(data) => data.open(address).await,
            None => self.open(address).await,
        }
    }

    async fn open(&self, address: &str) -> Result<Connection, String> {
        self.dial.open(address).await.map_err(|error| error.to_string())
    }

    /// For requests that must not wait behind a parked one: answers of one connection keep their order.
    pub(super) async fn prompt(&self) -> Result<Arc<Connection>, String> {
        if self.main.is_idle() {
            return Ok(self.main());
        }
        let open = || async { self.dial.open(self.main.address()).await.map(Arc::new) };
        self.side.get_or_try_init(open).await.map(Arc::clone).map_err(|error| error.to_string())
    }
}
