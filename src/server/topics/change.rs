//! Topics that go and topics that grow. Like creation: the value changes first, then the caller makes it durable or
//! takes it back.

use std::collections::BTreeSet;

use super::{Topics, View, grown, rules};
use crate::ids::TopicName;
use crate::topics::{Rack, Topic, TopicTable};
use crate::wire::ErrorCode;

use super::TopicError;

/// How a topic is to grow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// How many partitions it is to have, the old ones among them.
    pub partitions: u32,
    /// The racks of each new partition, if somebody said; else the old ones' are dealt on in their order.
    pub racks: Option<Vec<Vec<Rack>>>,
}

/// A topic of another moment, to go back to.
pub type Before = (TopicName, Topic);

impl Topics {
    /// Takes topics out of the table, each or not, and gives back what they were.
    pub fn take_out(&self, names: &[TopicName]) -> Vec<Result<Before, TopicError>> {
        let owners = self.changing();
        let mut table = TopicTable::clone(self.view().table());
        let mut take = |name: &TopicName| match table.0.get(name) {
            None => Err(unknown(name)),
            Some(_) if owners.is_clusters(name) => Err(owners.only_there(name, ErrorCode::TopicDeletionDisabled)),
            Some(_) if owners.configured.contains(name) => Err(TopicError {
                code: ErrorCode::TopicDeletionDisabled,
                message: format!(
                    "topic {name} is in the configuration: take its [[topic]] out of divvy.toml and restart the server, \
                     then delete it; or it would come back with the next start"
                ),
            }),
            Some(_) => Ok(table.0.remove_entry(name).expect("it was just found")),
        };
        let outcomes: Vec<_> = names.iter().map(&mut take).collect();
        if outcomes.iter().any(Result::is_ok) {
            self.put(View::of(table));
        }
        outcomes
    }

    /// Puts topics back as they were.
    pub fn put_back(&self, topics: Vec<Before>) {
        let _changing = self.changing();
        let mut table = TopicTable::clone(self.view().table());
        table.0.extend(topics);
        self.put(View::of(table));
    }

    /// Lets topics grow, each or not, and gives back what they were and what they are. With `only_say` nothing grows.
    pub fn grow(&self, wanted: &[(TopicName, Growth)], only_say: bool) -> Vec<Result<(Before, Topic), TopicError>> {
        let owners = self.changing();
        let view = self.view();
        let mut table = TopicTable::clone(view.table());
        let mut room = rules::Room::of(&view);
        let mut grow = |(name, growth): &(TopicName, Growth)| {
            let before = table.0.get(name).ok_or_else(|| unknown(name))?.clone();
            if owners.is_clusters(name) {
                return Err(owners.only_there(name, ErrorCode::PolicyViolation));
            }
            let after = larger(name, &before, growth)?;
            rules::check(name.as_str(), &after)?;
            room.grow(name, &before, &after)?;
            table.0.insert(name.clone(), after.clone());
            Ok(((name.clone(), before), after))
        };
        let outcomes: Vec<_> = wanted.iter().map(&mut grow).collect();
        if !only_say && outcomes.iter().any(Result::is_ok) {
            self.put(View::of(table));
        }
        outcomes
    }

    /// Those of the configuration.
    pub(super) fn names(configured: &[(TopicName, Topic)]) -> BTreeSet<TopicName> {
        configured.iter().map(|(name, _)| name.clone()).collect()
    }
}

fn larger(name: &TopicName, before: &Topic, growth: &Growth) -> Result<Topic, TopicError> {
    let refuse = |code, message| Err(TopicError { code, message });
    let (old, new) = (before.partitions, growth.partitions);
    if new <= old {
        let message = format!(
            "topic {name} has {old} partitions already, and they are never taken away: name a number above {old}"
        );
        return refuse(ErrorCode::InvalidPartitions, message);
    }
    let Some(racks) = &growth.racks else { return Ok(grown(before, new)) };
    if racks.len() != (new - old) as usize {
        let message = format!(
            "topic {name} would get {} new partitions, and {} are assigned: assign each of them, or none",
            new - old,
            racks.len()
        );
        return refuse(ErrorCode::InvalidReplicaAssignment, message);
    }
    let mut all = before.racks.clone();
    if all.is_empty() && racks.iter().all(Vec::is_empty) {
        return Ok(grown(before, new));
    }
    all.resize(old as usize, Vec::new());
    all.extend(racks.iter().cloned());
    Ok(Topic { partitions: new, racks: all })
}

/// What is said of a topic that is not there.
pub(crate) fn unknown(name: &TopicName) -> TopicError {
    let message = format!("there is no topic {name}: `divvy topics list` shows those that are there");
    TopicError { code: ErrorCode::UnknownTopicOrPartition, message }
}
