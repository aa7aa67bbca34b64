//! A group as others may see it: DescribeGroups, ListGroups, the admin port, `divvy groups describe`.

use bytes::Bytes;

use super::Group;
use super::event::ModuleOffer;
use super::record::{PlanRecord, StandIn, Suspension};
use super::roster::Member;
use super::trigger::Trigger;
use crate::ids::{Digest, Generation, GroupId, InstanceId, MemberId, Protocol, ProtocolType, TopicName};
use crate::time::WallTime;

/// A group's state, under the proposal's names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StateName {
    /// No such group.
    Down,
    /// Being read from the store.
    Initialize,
    /// No members; offsets may be kept.
    Empty,
    /// Collecting JoinGroups.
    Joining,
    /// Waiting for the leader's states.
    AwaitingSync,
    /// An active generation.
    Stable,
}

impl StateName {
    /// The proposal's name. A group without members is Stable there too.
    pub fn proposal(self) -> &'static str {
        match self {
            StateName::Down => "Down",
            StateName::Initialize => "Initialize",
            StateName::Empty | StateName::Stable => "Stable",
            StateName::Joining => "Joining",
            StateName::AwaitingSync => "AwaitingSync",
        }
    }

    /// What Kafka's tools expect on the wire.
    pub fn wire(self) -> &'static str {
        match self {
            StateName::Down | StateName::Initialize => "Dead",
            StateName::Empty => "Empty",
            StateName::Joining => "PreparingRebalance",
            StateName::AwaitingSync => "CompletingRebalance",
            StateName::Stable => "Stable",
        }
    }
}

/// A line of ListGroups.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupSummary {
    /// The group.
    pub id: GroupId,
    /// Its state.
    pub state: StateName,
    /// Its type; none for a group that only keeps offsets.
    pub protocol_type: Option<ProtocolType>,
    /// How many members.
    pub members: usize,
    /// Its generation.
    pub generation: Generation,
    /// The protocol of the generation.
    pub protocol: Option<Protocol>,
}

/// All that is shown of a group.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupDescription {
    /// The summary.
    pub summary: GroupSummary,
    /// The generation's leader.
    pub leader: Option<MemberId>,
    /// The module that made the plan in force, when a divvy leader said.
    pub plan_digest: Option<Digest>,
    /// The members, in order of their ids.
    pub members: Vec<MemberDescription>,
    /// What the vote passes over.
    pub suspensions: Vec<Suspension>,
    /// Why the last rebalance began, as a sentence.
    pub last_trigger: Option<String>,
    /// How the coordinator leads it, if it does.
    pub led: Option<LedDescription>,
    /// What made the plan in force in place of a module that failed.
    pub stand_in: Option<StandIn>,
    /// How many members a partition may go to in the states that are shown.
    pub copies: u16,
}

/// How the coordinator leads a group.
#[derive(Clone, PartialEq, Debug)]
pub struct LedDescription {
    /// What should serve the generation's protocol: its alias's, else its own name.
    pub wanted: String,
    /// The module that made the plan in force, by its own name; none: divvy itself.
    pub assignor: Option<Protocol>,
    /// What it is.
    pub digest: Option<Digest>,
    /// Its configuration; null if there is none.
    pub config: serde_json::Value,
    /// Why a file of what should serve is refused, which may serve nevertheless; the group does not know, the server does.
    pub trouble: Option<String>,
}

/// All that is shown of a member.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberDescription {
    /// Its id.
    pub id: MemberId,
    /// Its lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// The name its client gives itself.
    pub client_id: String,
    /// Where it connects from.
    pub client_host: String,
    /// What it offers, most wanted first.
    pub offers: Vec<Protocol>,
    /// The modules it can run, as it last said; none for a member that is not divvy's.
    pub modules: Option<Vec<ModuleOffer>>,
    /// What it says of itself under the generation's protocol (or its first one, while there is none).
    pub metadata: Bytes,
    /// Its state in the plan in force.
    pub state: Bytes,
    /// How long it may be silent, in milliseconds.
    pub session_timeout_ms: u32,
}

impl Group {
    /// The group in a line.
    pub fn summary(&self) -> GroupSummary {
        GroupSummary {
            id: self.id.clone(),
            state: self.state.name(),
            protocol_type: self.protocol_type.clone(),
            members: self.roster.members.len(),
            generation: self.generation,
            protocol: self.protocol.clone(),
        }
    }

    /// The group with everything that may be shown of it.
    pub fn describe(&self, now: WallTime) -> GroupDescription {
        let in_force = || self.plan.as_ref().filter(|plan| plan.generation == self.generation);
        GroupDescription {
            summary: self.summary(),
            leader: self.leader.clone().filter(|id| self.roster.members.contains_key(id) || self.is_led_now()),
            plan_digest: in_force().and_then(|plan| plan.digest),
            members: self.roster.members.iter().map(|(id, member)| self.describe_member(id, member)).collect(),
            suspensions: self.suspended(self.passing_over_as_of(now)),
            // A group that was restored knows only what its history has.
            last_trigger: self
                .last_trigger
                .as_ref()
                .map(Trigger::to_string)
                .or_else(|| self.history.last_trigger().map(str::to_owned)),
            led: self.describe_led(),
            stand_in: in_force().and_then(|plan| plan.stand_in.clone()),
            copies: self.shown_plan().map_or(1, |plan| plan.copies),
        }
    }

    /// What is committed for a topic: partitions and offsets.
    pub fn committed<'a>(&'a self, topic: &'a TopicName) -> impl Iterator<Item = (i32, i64)> + 'a {
        let of_topic = self.offsets.range((topic.clone(), i32::MIN)..).take_while(move |((of, _), _)| of == topic);
        of_topic.map(|((_, partition), record)| (*partition, record.offset.offset))
    }

    /// In a rebalance the shares of the generation before are shown, as they may still be worked on; never a plan that nobody
    /// was told yet.
    fn shown_plan(&self) -> Option<&PlanRecord> {
        self.plan.as_ref().filter(|_| self.ownership.is_told())
    }

    fn describe_member(&self, id: &MemberId, member: &Member) -> MemberDescription {
        let state = self.shown_plan().and_then(|plan| plan.state(id));
        let shown = self.protocol.as_ref().or(member.protocols.first().map(|offered| &offered.name));
        MemberDescription {
            id: id.clone(),
            instance: member.instance.clone(),
            client_id: member.client_id.to_string(),
            client_host: member.client_host.to_string(),
            offers: member.present_offers().into_iter().cloned().collect(),
            modules: member.modules.is_some().then(|| member.present_modules().to_vec()),
            metadata: shown.map(|protocol| member.metadata(protocol)).unwrap_or_default(),
            state: state.unwrap_or_default(),
            session_timeout_ms: u32::try_from(member.session_timeout.as_millis()).unwrap_or(u32::MAX),
        }
    }
}
