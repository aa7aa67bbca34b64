//! What a member joins for, as far as its builder was told; and what it was told that cannot be.

use super::Builder;
use crate::client::error::JoinError;
use crate::embedded::connect::Worker;
use crate::ids::ProtocolType;
use crate::membership::config::{CONNECT, CONSUMER, SINGLE_WRITER};
use crate::membership::{Purpose, TopicPattern};

/// The strategies that serve types of divvy's own unless others are named: they are offered by name only.
const STRATEGIES: [(&str, &str); 2] = [(SINGLE_WRITER, "active-standby"), (CONNECT, "connect")];

/// A session needs room for two lost heartbeats.
const HEARTBEATS_PER_SESSION: u32 = 3;

impl Builder {
    /// Whether there is a member in what was said, and what it joins for.
    pub(super) fn check(&mut self) -> Result<(), JoinError> {
        if self.bootstrap.is_empty() {
            return Err(JoinError::NoAddress);
        }
        if self.config.group.as_str().is_empty() {
            return Err(JoinError::NoGroup);
        }
        let (heartbeat, session) = (self.config.heartbeat_interval, self.config.session_timeout);
        if heartbeat.saturating_mul(HEARTBEATS_PER_SESSION) > session {
            return Err(JoinError::SlowHeart { heartbeat_ms: heartbeat.as_millis(), session_ms: session.as_millis() });
        }
        self.config.purpose = self.purpose()?;
        Ok(())
    }

    fn purpose(&mut self) -> Result<Purpose, JoinError> {
        if let Some(leading) = self.leading.take() {
            return Ok(Purpose::Lead(leading));
        }
        let name = self.protocol_type.as_deref().unwrap_or(CONSUMER);
        let strategy = STRATEGIES.iter().find(|(of, _)| *of == name).filter(|_| self.config.assignors.is_empty());
        self.config.assignors.extend(strategy.map(|(_, strategy)| (*strategy).to_owned()));
        Ok(match (name, self.url.take()) {
            (CONSUMER, _) => return self.subscription(),
            (CONNECT, Some(url)) => {
                Purpose::Connect { worker: Worker { url, config_offset: -1 }, context: self.context.take() }
            }
            (name, _) => Purpose::States {
                protocol_type: ProtocolType::from(name),
                metadata: self.metadata.take(),
                context: self.context.take(),
            },
        })
    }

    fn subscription(&mut self) -> Result<Purpose, JoinError> {
        self.topics.sort_unstable();
        self.topics.dedup();
        let topics = std::mem::take(&mut self.topics);
        match self.pattern.take() {
            None if topics.is_empty() => Err(JoinError::NoPurpose),
            None => Ok(Purpose::Topics(topics)),
            Some(_) if !topics.is_empty() => Err(JoinError::TwoSubscriptions),
            Some(pattern) => match TopicPattern::new(&pattern) {
                Ok(pattern) => Ok(Purpose::Matching { pattern, topics }),
                Err(reason) => Err(JoinError::Pattern { pattern, reason }),
            },
        }
    }
}
