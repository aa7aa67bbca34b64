//! What is shown of a shard's groups.

use std::collections::BTreeMap;

use super::Coordinator;
use crate::group::{GenerationRecord, GroupDescription, GroupSummary, StateName};
use crate::ids::{Generation, GroupId, TopicName};
use crate::time::WallTime;

impl Coordinator {
    /// All groups in order of their ids.
    pub fn list(&self) -> Vec<GroupSummary> {
        let present = self.groups.values().filter(|group| !group.is_blank());
        let mut all: Vec<GroupSummary> = present.map(|group| group.summary()).collect();
        all.extend(self.loading.keys().map(initializing));
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// One group; none if it is not here.
    pub fn describe(&self, group: &GroupId, now: WallTime) -> Option<GroupDescription> {
        if let Some(group) = self.groups.get(group).filter(|group| !group.is_blank()) {
            return Some(group.describe(now));
        }
        self.is_loading(group).then(|| GroupDescription {
            summary: initializing(group),
            leader: None,
            plan_digest: None,
            members: Vec::new(),
            suspensions: Vec::new(),
            last_trigger: None,
            led: None,
            stand_in: None,
            copies: 1,
        })
    }

    /// How far anybody has come with a topic: the highest commit of each partition that has one.
    pub fn ends(&self, topic: &TopicName) -> Vec<(i32, i64)> {
        let mut ends = BTreeMap::new();
        for (partition, offset) in self.groups.values().flat_map(|group| group.committed(topic)) {
            let end = ends.entry(partition).or_insert(offset);
            *end = offset.max(*end);
        }
        ends.into_iter().collect()
    }

    /// How far a group has come with topics: the commit of each partition that has one.
    pub fn committed(&self, group: &GroupId, topics: Vec<TopicName>) -> Vec<(TopicName, Vec<(i32, i64)>)> {
        let Some(group) = self.groups.get(group) else { return Vec::new() };
        let of = |topic: TopicName| {
            let offsets = group.committed(&topic).collect();
            (topic, offsets)
        };
        topics.into_iter().map(of).collect()
    }

    /// The last generations of a group, oldest first; none if it is not here.
    pub fn history(&self, group: &GroupId) -> Option<Vec<GenerationRecord>> {
        self.groups.get(group).map(|group| group.history())
    }
}

fn initializing(id: &GroupId) -> GroupSummary {
    GroupSummary {
        id: id.clone(),
        state: StateName::Initialize,
        protocol_type: None,
        members: 0,
        generation: Generation::NONE,
        protocol: None,
    }
}
