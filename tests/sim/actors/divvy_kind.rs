//! What kind of member one of divvy's is, and what comes of that.

use divvy::ids::GroupId;
use divvy::membership::TopicPattern;
use divvy::membership::config::{Purpose, SINGLE_WRITER};
use divvy::topics::TopicTable;

use super::TOPICS;
use super::divvy_words::topics;

/// What kind of member.
#[derive(Clone, Debug)]
pub struct Kind {
    pub name: String,
    pub group: GroupId,
    pub session_ms: u64,
    pub rebalance_ms: u64,
    pub heartbeat_ms: u64,
    /// Whether it takes the coordinator for another's.
    pub is_a_stranger: bool,
    /// Whether it offers a cooperative protocol alone.
    pub is_cooperative: bool,
    /// Whether its modules fail, and its plans break rules, until the faults are over.
    pub is_faulty: bool,
    pub joins_for: JoinsFor,
    /// Whether its application drains it, changes its facts, and the like.
    pub has_deeds: bool,
    /// How long its application may take to finish.
    pub finishes_ms: u64,
    /// Since when the last of the topics exists.
    pub last_topic_since: u64,
}

/// What a member joins for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinsFor {
    /// Topics that it names.
    Topics,
    /// All topics that match.
    Matching,
    /// To be the writer.
    Writing,
}

impl Kind {
    /// The names of the strategies that it offers.
    pub fn names(&self) -> Vec<String> {
        match (self.joins_for, self.is_cooperative) {
            (JoinsFor::Writing, _) => vec!["active-standby".to_owned()],
            (_, true) => vec!["cooperative-sticky".to_owned()],
            (_, false) => Vec::new(),
        }
    }

    pub fn purpose(&self) -> Purpose {
        match self.joins_for {
            JoinsFor::Topics => Purpose::Topics(TOPICS.iter().map(|(name, _)| (*name).into()).collect()),
            JoinsFor::Matching => {
                let pattern = TopicPattern::new("clicks|v.+").expect("it is a pattern");
                Purpose::Matching { pattern, topics: Vec::new() }
            }
            JoinsFor::Writing => Purpose::States { protocol_type: SINGLE_WRITER.into(), metadata: None, context: None },
        }
    }

    /// The topics that exist.
    pub fn sees(&self, now: u64) -> TopicTable {
        let mut topics = topics();
        if now < self.last_topic_since {
            let (last, _) = TOPICS[TOPICS.len() - 1];
            topics.0.retain(|name, _| *name != *last);
        }
        topics
    }
}
