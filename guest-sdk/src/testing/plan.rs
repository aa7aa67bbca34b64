//! A plan as tests look at it.

use std::collections::BTreeMap;
use std::fmt;

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

    /// A partition's owners, the primary first.
    pub fn owners_of(&self, topic: &str, partition: u32) -> &[String] {
        self.owners.get(&(topic.to_owned(), partition)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn give(&mut self, topic: &str, partition: u32, owner: &str) {
        self.owners.entry((topic.to_owned(), partition)).or_default().push(owner.to_owned());
        self.members.entry(owner.to_owned()).or_default().entry(topic.to_owned()).or_default().push(partition);
    }

    pub(super) fn read(group: &TestGroup, reply: Reply<'_>) -> Result<TestPlan, NoPlan> {
        let body = match reply.body {
            Body::Partitions(body) => body,
            other => return Err(NoPlan::of(other)),
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
                let missing =
                    || NoPlan::Failed(format!("{topic}-{partition} goes to member {owner}, which does not exist"));
                let owner = ids.get(owner as usize).ok_or_else(missing)?;
                plan.give(topic, partition, owner);
            }
        }
        for (id, data) in ids.iter().zip(body.user_data.unwrap_or_default()) {
            plan.user_data.extend(data.map(|data| ((*id).clone(), data.to_vec())));
        }
        Ok(plan)
    }
}

/// Why there is no plan to look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPlan {
    /// The strategy said no.
    Refused(Refused),
    /// It panicked, or its module trapped or ran too long, or its reply is no reply.
    Failed(String),
}

impl NoPlan {
    /// What a reply says that is no plan.
    pub(super) fn of(body: Body<'_>) -> NoPlan {
        match body {
            Body::Refused { code, message, retriable, member } => {
                NoPlan::Refused(Refused { code: code.to_owned(), message: message.to_owned(), retriable, member })
            }
            other => NoPlan::Failed(format!("the reply is neither a plan nor a refusal: {other:?}")),
        }
    }

    /// The refusal.
    ///
    /// # Panics
    /// When it is none.
    pub(super) fn refused(self) -> Refused {
        match self {
            NoPlan::Refused(refused) => refused,
            NoPlan::Failed(why) => panic!("{why}"),
        }
    }
}

impl From<Refused> for NoPlan {
    fn from(refused: Refused) -> Self {
        NoPlan::Refused(refused)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPlan::Refused(refused) => write!(f, "it refused: {refused}"),
            NoPlan::Failed(why) => f.write_str(why),
        }
    }
}
