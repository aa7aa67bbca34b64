//! What strategies have to say when their member joins: their export `divvy_user_data`, called once for each protocol that is
//! offered, before each JoinGroup. A strategy that fails here costs nobody anything: its member joins without its word.

use std::collections::BTreeMap;

use bytes::Bytes;
use divvy_guest::abi::host::{Body, Expected, UserDataRequest, parse_reply};

use super::config::Config;
use super::limits::{LONGEST_USER_DATA, MAX_USER_DATA_BYTES};
use super::metadata::{Claim, Words};
use super::negotiate::Strategies;
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind};
use crate::ids::{Mode, Protocol};

/// All that strategies are asked with. It owns what it needs, so that it can run on another thread.
#[derive(Debug)]
pub struct Asks {
    pub(super) config: Config,
    pub(super) strategies: Strategies,
    /// For each assignor, by its name without version: its configuration.
    pub(super) configs: BTreeMap<String, serde_json::Value>,
    pub(super) claim: Option<Claim>,
    pub(super) held: Option<Claim>,
    pub(super) mode: Mode,
    pub(super) again: u32,
    pub(super) last_state: Option<Bytes>,
    pub(super) now_ms: i64,
}

impl PartialEq for Asks {
    /// Strategies have no order; what they are asked with says it.
    fn eq(&self, other: &Self) -> bool {
        (&self.config, &self.claim, &self.held, self.mode, self.again)
            == (&other.config, &other.claim, &other.held, other.mode, other.again)
    }
}

impl Asks {
    /// The metadata of that protocol with what its strategy adds; none if it adds nothing.
    pub(super) fn metadata(&self, protocol: &Protocol) -> Result<Option<Bytes>, CallError> {
        let Some(strategy) = self.strategies.find(protocol) else { return Ok(None) };
        let (claim, held) = (self.claim.as_ref(), self.held.as_ref());
        let words = Words { config: &self.config, claim, held, mode: self.mode, again: self.again };
        Ok(self.ask(strategy, protocol)?.map(|x| words.metadata(protocol, Some(&x))))
    }

    fn ask(&self, strategy: &dyn Assignor, protocol: &Protocol) -> Result<Option<Vec<u8>>, CallError> {
        let topics: Vec<&str> = self.config.purpose.topics().iter().map(|it| it.as_str()).collect();
        let config = self.configs.get(&strategy.manifest().name);
        let mut request = Vec::new();
        UserDataRequest {
            group: self.config.group.as_str(),
            protocol: protocol.as_str(),
            config: &config.map(packed).unwrap_or_default(),
            topics: &topics,
            facts: &packed(&self.config.facts),
            last_state: self.last_state.as_deref(),
            now_ms: self.now_ms,
        }
        .write(&mut request);
        said(strategy, &request)
    }
}

/// What a strategy answers to such a request, within what a joining member allows.
pub fn said(strategy: &dyn Assignor, request: &[u8]) -> Result<Option<Vec<u8>>, CallError> {
    let budget = Budget { deadline: LONGEST_USER_DATA, max_output: MAX_USER_DATA_BYTES };
    let reply = strategy.call(Export::UserData, request, budget)?;
    if reply.is_empty() {
        // It has no such export.
        return Ok(None);
    }
    let malformed = |problem: &dyn std::fmt::Display| {
        CallError::new(FaultKind::InvalidReply, format!("the reply is malformed: {problem}"))
    };
    match parse_reply(&reply, Expected::UserData).map_err(|problem| malformed(&problem))?.body {
        Body::UserData(data) => Ok(data.map(<[u8]>::to_vec)),
        Body::Refused { code, message, .. } => {
            Err(CallError { code: Some(code.to_owned()), ..CallError::new(FaultKind::GuestError, message) })
        }
        _ => Err(malformed(&"it answers another question")),
    }
}

/// As a MessagePack map; anything else counts as none.
fn packed<T: serde::Serialize>(value: &T) -> Vec<u8> {
    rmp_serde::to_vec(value).unwrap_or_default()
}
