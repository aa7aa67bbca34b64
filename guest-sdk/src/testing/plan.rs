//! A plan as tests look at it.

use std::collections::BTreeMap;

use super::TestGroup;
use crate::abi::Width;
use crate::abi::host::{Body, Reply};

/// Who owns what.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TestPlan {
    /// Every member's partitions by topic, in ascending order; with copies, those of all copies.
    pub members: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
    /// Every partition's owners, the primary first.
    pub owners: BTreeMap<(String, u32), Vec<String>>,
    /// User data for assignments, of the members that have any.
    pub user_data: BTreeMap<String, Vec<u8>>,
    /// How many owners a partition may have.
    pub copies: u16,
    /// What to remember.
    pub memo: Option<Vec<u8>>,
    /// When to make a new plan although nothing changed.
    pub call_again_ms: Option<u64>,
    /// Diagnostic lines: level and text.
    pub notes: Vec<(String, String)>,
}

/// A strategy said no.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The short name.
    pub code: String,
    /// The sentence.
    pub message: String,
    /// Whether it may say yes later.
    pub retriable: bool,
    /// The index of the member that is the reason.
    pub member: Option<u32>,
}

impl TestPlan {
    /// A member's partitions of a topic.
    pub fn of(&self, member: &str, topic: &str) -> &[u32] {
        self.members.get(member).and_then(|topics| topics.get(topic)).map_or(&[], Vec::as_slice)
    }

    /// How many partitions a member has.
    pub fn size(&self, member: &str) -> usize {
        self.members.get(member).map_or(0, |topics| topics.values().map(Vec::len).sum())
    }

    pub(super) fn read(group: &TestGroup, reply: Reply<'_>) -> Result<TestPlan, Refused> {
        let body = match reply.body {
            Body::Partitions(body) => body,
            other => return Err(refused(other)),
        };
        let ids: Vec<&String> = group.members.keys().collect();
        let width = Width::of(ids.len());
        let partitions: Vec<(&String, u32)> = group
            .topics
            .iter()
            .flat_map(|(name, topic)| (0..topic.partitions).map(move |partition| (name, partition)))
            .collect();
        let mut plan = TestPlan {
            members: ids.iter().map(|id| ((*id).clone(), BTreeMap::new())).collect(),
            copies: body.copies,
            memo: body.memo.map(<[u8]>::to_vec),
            call_again_ms: body.call_again_ms,
            notes: reply.diag.iter().map(|&(level, text)| (level.to_owned(), text.to_owned())).collect(),
            ..TestPlan::default()
        };
        for (index, &(topic, partition)) in partitions.iter().enumerate() {
            for copy in 0..usize::from(body.copies) {
                let Some(owner) = width.get(body.owners, copy * partitions.len() + index) else { continue };
                let owner = ids.get(owner as usize).unwrap_or_else(|| panic!("{topic}-{partition}: no member {owner}"));
                plan.owners.entry((topic.clone(), partition)).or_default().push((*owner).clone());
                plan.members.entry((*owner).clone()).or_default().entry(topic.clone()).or_default().push(partition);
            }
        }
        for (id, data) in ids.iter().zip(body.user_data.unwrap_or_default()) {
            plan.user_data.extend(data.map(|data| ((*id).clone(), data.to_vec())));
        }
        Ok(plan)
    }
}

/// The refusal that a reply is when it is no plan.
pub(super) fn refused(body: Body<'_>) -> Refused {
    match body {
        Body::Refused { code, message, retriable, member } => {
            Refused { code: code.to_owned(), message: message.to_owned(), retriable, member }
        }
        other => panic!("neither a plan nor a refusal: {other:?}"),
    }
}
