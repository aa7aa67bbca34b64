//! Whose is a partition: for type `consumer` a commit is foreign if another member has the partition now, and the
//! committer had it neither in this generation nor in the one before (cooperative clients commit while they revoke).
//!
//! States are opaque to the rest of the group. They are decoded here, when the first commit asks, once for a member and
//! generation; what cannot be read is nobody's, and its member is never accused. All holders of a copy have it.

use std::collections::BTreeMap;

use crate::embedded::consumer::Assignment;
use crate::ids::{Generation, MemberId, TopicName};

use super::Group;
use super::event::CommittedOffset;
use super::fact::ForeignCommit;
use super::record::{PlanRecord, State};
use super::settings::CommitCheck;

/// What was decoded of the plan in force, and what members had before it.
#[derive(Debug)]
pub(super) struct Ownership {
    before: Before,
    /// Whether anybody was told the plan in force: one that nobody saw gave nobody anything.
    told: bool,
    /// The generation that the rest is decoded from.
    of: Generation,
    members: BTreeMap<MemberId, Had>,
    owners: Option<Owners>,
}

/// The states of the generation before.
#[derive(Debug)]
enum Before {
    /// It ended in another process: nobody is judged by it.
    Unknown,
    /// In order of the ids; only of members whose state is another one now.
    States(Vec<(MemberId, State)>),
}

/// What one member has and had.
#[derive(Debug)]
struct Had {
    now: Option<Partitions>,
    before: Option<Partitions>,
}

/// By topic, in order, and within a topic in order.
#[derive(Debug, Default)]
pub(super) struct Partitions(Vec<(TopicName, Vec<i32>)>);

/// The owner of every partition.
type Owners = BTreeMap<TopicName, Vec<(i32, MemberId)>>;

impl Default for Ownership {
    /// Of a new group: nobody had anything.
    fn default() -> Self {
        Self { before: Before::States(Vec::new()), ..Self::after_restart() }
    }
}

impl Ownership {
    /// Of a group that was read from the store.
    pub(super) fn after_restart() -> Self {
        Self { before: Before::Unknown, told: true, of: Generation::NONE, members: BTreeMap::new(), owners: None }
    }

    /// The plan in force was handed out.
    pub(super) fn handed_out(&mut self) {
        self.told = true;
    }

    fn replace(&mut self, last: Vec<(MemberId, State)>, next: &[(MemberId, State)]) {
        let mut had: BTreeMap<MemberId, State> = last.into_iter().collect();
        if !std::mem::replace(&mut self.told, false) {
            match std::mem::replace(&mut self.before, Before::Unknown) {
                Before::Unknown => return,
                Before::States(states) => had.extend(states),
            }
        }
        had.retain(|id, state| state_of(next, id) != Some(state));
        self.before = Before::States(had.into_iter().collect());
    }

    /// A process took another's place: what was the other's is its own.
    pub(super) fn rename(&mut self, old: &MemberId, new: &MemberId) {
        self.members.remove(old);
        self.owners = None;
        if let Before::States(states) = &mut self.before
            && let Ok(at) = states.binary_search_by(|(id, _)| id.cmp(old))
        {
            let (_, state) = states.remove(at);
            let to = states.partition_point(|(id, _)| id < new);
            states.insert(to, (new.clone(), state));
        }
    }

    /// Whether the plan that the group has was handed out.
    pub(super) fn is_told(&self) -> bool {
        self.told
    }

    /// Forgets what was decoded of another generation.
    fn turn_to(&mut self, generation: Generation) {
        if self.of != generation {
            self.of = generation;
            self.members.clear();
            self.owners = None;
        }
    }

    fn member(&mut self, id: &MemberId, plan: &PlanRecord) -> &Had {
        if !self.members.contains_key(id) {
            let before = match &self.before {
                Before::Unknown => None,
                Before::States(states) => Some(state_of(states, id).map_or_else(Default::default, Clone::clone)),
            };
            let now = state_of(&plan.states, id).map_or_else(Default::default, Clone::clone);
            let had = Had { now: Partitions::read(&now), before: before.and_then(|state| Partitions::read(&state)) };
            self.members.insert(id.clone(), had);
        }
        &self.members[id]
    }

    fn owner(&mut self, topic: &TopicName, partition: i32, plan: &PlanRecord) -> Option<&MemberId> {
        let owners = self.owners.get_or_insert_with(|| owners(plan)).get(topic)?;
        let at = owners.binary_search_by_key(&partition, |(number, _)| *number).ok()?;
        owners.get(at).map(|(_, owner)| owner)
    }
}

impl Partitions {
    /// None: it cannot be read.
    pub(super) fn read(state: &State) -> Option<Self> {
        let assignment = Assignment::decode_state(&state.0).ok()?;
        let mut all: Vec<(TopicName, Vec<i32>)> = assignment
            .topics
            .iter()
            .map(|of| {
                let mut numbers: Vec<i32> = of.partitions.iter().collect();
                numbers.sort_unstable();
                (TopicName::from(of.topic), numbers)
            })
            .collect();
        all.sort_unstable();
        Some(Self(all))
    }

    /// How many of them are not among others; of these topics alone.
    pub(super) fn missing_in(&self, others: &Self, counts: impl Fn(&TopicName) -> bool) -> usize {
        let missing = |(topic, numbers): &(TopicName, Vec<i32>)| {
            numbers.iter().filter(|number| !others.has(topic, **number)).count()
        };
        self.0.iter().filter(|(topic, _)| counts(topic)).map(missing).sum()
    }

    fn has(&self, topic: &TopicName, partition: i32) -> bool {
        let from = self.0.partition_point(|(name, _)| name < topic);
        let of_topic = self.0[from..].iter().take_while(|(name, _)| name == topic);
        of_topic.into_iter().any(|(_, numbers)| numbers.binary_search(&partition).is_ok())
    }
}

impl Had {
    /// Whether it has the partition, or had it, as far as anybody can tell.
    fn may_commit(&self, topic: &TopicName, partition: i32) -> bool {
        let may = |had: &Option<Partitions>| had.as_ref().is_none_or(|had| had.has(topic, partition));
        may(&self.now) || may(&self.before)
    }
}

impl Group {
    /// Notes what members had under the last plan, before another one takes its place.
    pub(super) fn remember_owners(&mut self, last: Option<PlanRecord>, next: &[(MemberId, State)]) {
        if !self.is_consumer() || self.settings.commit_check == CommitCheck::Off {
            self.ownership = Ownership::after_restart();
        } else if let Some(last) = last {
            self.ownership.replace(last.states, next);
        }
    }

    /// Whether this member's commits are looked at.
    pub(super) fn judges_owners(&self, member: &MemberId) -> bool {
        self.settings.commit_check != CommitCheck::Off && self.is_consumer() && self.roster.members.contains_key(member)
    }

    /// Whether the partition is another member's; if so it is added to what was found.
    pub(super) fn is_foreign(
        &mut self,
        member: &MemberId,
        offset: &CommittedOffset,
        found: &mut Option<ForeignCommit>,
    ) -> bool {
        let Some(plan) = self.plan.as_ref().filter(|plan| plan.generation == self.generation) else { return false };
        let (topic, partition) = (&offset.topic, offset.partition);
        self.ownership.turn_to(plan.generation);
        if self.ownership.member(member, plan).may_commit(topic, partition) {
            return false;
        }
        let Some(owner) = self.ownership.owner(topic, partition, plan) else { return false };
        let found = found.get_or_insert_with(|| ForeignCommit {
            member: member.clone(),
            partitions: 0,
            first: (topic.clone(), partition),
            owner: owner.clone(),
            refused: self.settings.commit_check == CommitCheck::Enforce,
        });
        found.partitions += 1;
        true
    }
}

pub(super) fn state_of<'a>(states: &'a [(MemberId, State)], id: &MemberId) -> Option<&'a State> {
    let at = states.binary_search_by(|(of, _)| of.cmp(id)).ok()?;
    states.get(at).map(|(_, state)| state)
}

fn owners(plan: &PlanRecord) -> Owners {
    let mut owners = Owners::new();
    for (id, state) in &plan.states {
        for (topic, numbers) in Partitions::read(state).unwrap_or_default().0 {
            owners.entry(topic).or_default().extend(numbers.into_iter().map(|number| (number, id.clone())));
        }
    }
    owners.values_mut().for_each(|of_topic| of_topic.sort_unstable());
    owners
}
