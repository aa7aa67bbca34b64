//! The way to a group's coordinator: found through any of the bootstrap addresses, talked to on one connection, and on
//! a second one only while an answer of the first is parked. A divvy coordinator is listened to on a third.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::data::Data;
use super::error::Unreachable;
use super::limits::BROKERS_KEPT;
use crate::ids::GroupId;
use crate::membership::Peer;
use crate::peer::{Connection, Dial, address_of};
use crate::wire::messages::find_coordinator::FindCoordinatorRequest;
use crate::wire::messages::metadata::MetadataRequest;
use crate::wire::{ApiKey, ErrorCode, Text};

/// How to find it.
pub(super) struct Finder {
    pub(super) bootstrap: Vec<String>,
    pub(super) dial: Dial,
    pub(super) group: GroupId,
    /// Where topics are asked for, if not there.
    pub(super) data: Option<Arc<Data>>,
    /// Brokers that told of themselves: whom to ask when those that were named are away, or are there and say nothing.
    pub(super) brokers: Mutex<Vec<String>>,
}

impl Finder {
    /// Asks one address after the other. Fails with what all of them said.
    pub(super) async fn find(&self) -> Result<Coordinator, Unreachable> {
        let mut errors = Vec::new();
        let mut search = Search { finder: self, away: Vec::new() };
        let brokers = self.brokers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for address in self.bootstrap.iter().chain(brokers.iter().filter(|it| !self.bootstrap.contains(it))) {
            match search.through(address).await {
                Ok(coordinator) => return Ok(coordinator),
                Err(error) => errors.push(error),
            }
        }
        Err(Unreachable::of_all(errors).unwrap_or_else(|| {
            Unreachable::no_coordinator(self.group.as_str(), "nobody", "there is no address to ask")
        }))
    }

    /// Asks who else is there. divvy is one process so far.
    async fn learn_brokers(&self, of: &Connection) -> Result<(), String> {
        if of.peer() == Peer::Divvy || !of.speaks(ApiKey::Metadata) {
            return Ok(());
        }
        let request = MetadataRequest { topics: Some(Vec::new()), ..MetadataRequest::default() };
        let answer = of.call(&request, of.request_timeout()).await?;
        let brokers: BTreeSet<String> = answer.brokers.iter().map(|it| address_of(&it.host, it.port)).collect();
        if !brokers.is_empty() {
            let mut kept = self.brokers.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = brokers.into_iter().take(BROKERS_KEPT).collect();
        }
        Ok(())
    }
}

/// One look at everybody.
struct Search<'a> {
    finder: &'a Finder,
    /// Who cannot be talked to, and why: the next one to name it as coordinator knows no more.
    away: Vec<(String, Unreachable)>,
}

impl Search<'_> {
    async fn open(&mut self, address: &str) -> Result<Connection, Unreachable> {
        if let Some((_, error)) = self.away.iter().find(|(away, _)| away == address) {
            return Err(error.clone());
        }
        let opened = self.finder.dial.open(address).await;
        opened.inspect_err(|error| self.away.push((address.to_owned(), error.clone())))
    }

    async fn through(&mut self, address: &str) -> Result<Coordinator, Unreachable> {
        let asked = self.open(address).await?;
        let group = self.finder.group.as_str();
        let refused = |reason: &str| Unreachable::no_coordinator(group, address, reason);
        let key = Text::from(group);
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
        self.finder.learn_brokers(&asked).await.map_err(|reason| refused(&reason))?;
        let main = if found == address { asked } else { self.open(&found).await? };
        Ok(Coordinator {
            main: Arc::new(main),
            side: Mutex::default(),
            ear: Mutex::default(),
            dial: self.finder.dial.clone(),
            data: self.finder.data.clone(),
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
    /// The second one, once it was needed.
    side: Mutex<Option<Arc<Connection>>>,
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
        match kept.filter(|connection| !connection.is_over()) {
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

    /// For requests that must not wait behind a parked one: answers of one connection keep their order. Nor do they wait
    /// until somebody finds out that a connection is over.
    pub(super) async fn prompt(&self) -> Result<Arc<Connection>, String> {
        if self.main.is_idle() && !self.main.is_over() {
            return Ok(self.main());
        }
        let kept = self.side.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(connection) = kept.filter(|connection| !connection.is_over()) {
            return Ok(connection);
        }
        let opened = Arc::new(self.aside().await?);
        *self.side.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&opened));
        Ok(opened)
    }
}
