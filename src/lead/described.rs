//! A group as its coordinator describes it to anybody who asks: who is in it, what they said of themselves, what they have.

use bytes::Bytes;

use crate::assignor::MemberInput;
use crate::ids::{InstanceId, MemberId, Protocol};

/// How Kafka says that there is no such group.
const DEAD: &str = "Dead";

/// How it says that nobody is in it.
const EMPTY: &str = "Empty";

/// How it says that everybody has what the leader gave. In any other state it tells no metadata.
const STABLE: &str = "Stable";

/// A group.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Described {
    /// Its state in Kafka's words.
    pub state: String,
    /// What kind of group; empty where nobody knows.
    pub protocol_type: String,
    /// The name that it runs under; empty unless it is stable.
    pub protocol: Protocol,
    /// Its members.
    pub members: Vec<DescribedMember>,
    /// Whether its coordinator draws the leader among those that bring a module for the chosen name, as divvy's does, where
    /// others take who comes first.
    pub draws: bool,
}

/// A member.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DescribedMember {
    /// Its id.
    pub id: MemberId,
    /// Its lasting name.
    pub instance: Option<InstanceId>,
    /// The name that its client gives itself.
    pub client_id: String,
    /// What it said of itself when it joined.
    pub metadata: Bytes,
    /// What it has.
    pub state: Bytes,
}

impl Described {
    /// Whether nobody is in it.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() || self.state == DEAD || self.state == EMPTY
    }

    /// Whether everybody has what the leader gave.
    pub fn is_stable(&self) -> bool {
        self.state == STABLE
    }

    /// The member of that lasting name.
    pub fn static_member(&self, instance: &str) -> Option<&DescribedMember> {
        self.members.iter().find(|it| it.instance.as_ref().is_some_and(|name| name.as_str() == instance))
    }

    /// The members as a leader sees them.
    pub fn inputs(&self) -> Vec<MemberInput> {
        self.members.iter().map(DescribedMember::input).collect()
    }

    /// The plan in force.
    pub fn states(&self) -> Vec<(MemberId, Bytes)> {
        self.members.iter().map(|it| (it.id.clone(), it.state.clone())).collect()
    }
}

impl DescribedMember {
    /// As a leader sees it.
    pub fn input(&self) -> MemberInput {
        MemberInput { id: self.id.clone(), instance: self.instance.clone(), metadata: self.metadata.clone() }
    }

    /// The name that people know it by.
    pub fn name(&self) -> &str {
        let instance = self.instance.as_ref().map(|it| it.as_str());
        instance.unwrap_or(if self.client_id.is_empty() { self.id.as_str() } else { &self.client_id })
    }
}
