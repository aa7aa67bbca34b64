//! A group as the command line shows it: in the admin port's words, from whichever of the two sources there is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::admin::alarms::surplus_owners;
use crate::embedded::{show_metadata, show_state};
use crate::group::StandIn;
use crate::wire::messages::describe_groups::{DescribedGroup, DescribedGroupMember};

/// A group.
#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: String,
    /// What kind of group.
    pub protocol_type: Option<String>,
    /// The protocol of its generation.
    pub protocol: Option<String>,
    /// Its generation; Kafka's protocol does not tell.
    pub generation: Option<i32>,
    /// Who leads.
    pub leader: Option<String>,
    /// The module that made the plan in force.
    pub plan_digest: Option<String>,
    /// How the coordinator leads it, if it does.
    pub led: Option<Led>,
    /// What made the plan in force in place of a module that failed.
    pub stand_in: Option<StandIn>,
    /// Why it rebalanced last.
    pub last_trigger: Option<String>,
    /// Its members.
    pub members: Vec<Member>,
    /// What the vote passes over.
    pub suspended: Vec<Suspension>,
    /// What must not be so.
    pub alarms: Vec<String>,
    /// The bounds that hold for it, by Kafka's names; empty where nobody tells.
    pub limits: BTreeMap<String, Value>,
}

/// How the coordinator leads a group.
#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub struct Led {
    /// What made the plan; none: divvy itself.
    pub assignor: Option<String>,
    /// The SHA-256 of its file.
    pub digest: Option<String>,
    /// Its configuration.
    pub config: Value,
    /// What should serve.
    pub wanted: String,
    /// Why its file does not.
    pub trouble: Option<String>,
}

/// A member.
#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub struct Member {
    /// Its id.
    pub id: String,
    /// Its lasting name.
    pub instance: Option<String>,
    /// The name its client gives itself.
    pub client_id: String,
    /// Where it connects from.
    pub client_host: String,
    /// The protocols that it offers, most wanted first; none where they are unknown: Kafka's protocol does not tell.
    pub offers: Option<Vec<String>>,
    /// The modules it can run; none for a member that is not divvy's.
    pub modules: Option<Vec<Module>>,
    /// What it says of itself under the chosen protocol, decoded.
    pub metadata: Value,
    /// What it owns: partitions by topic, or its decoded state.
    pub state: Value,
}

/// A module that a member can run.
#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub struct Module {
    /// The protocol that it serves.
    pub protocol: String,
    /// The SHA-256 of its file.
    pub digest: String,
}

/// A protocol that the vote passes over.
#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(default)]
pub struct Suspension {
    /// The protocol.
    pub protocol: String,
    /// The module that failed.
    pub digest: Option<String>,
    /// Until when, in milliseconds since 1970.
    pub until_ms: i64,
    /// How often it failed.
    pub failures: u32,
    /// Why.
    pub reason: String,
}

/// The proposal's name of a state that Kafka's protocol calls otherwise.
pub fn state(kafkas: &str) -> &str {
    match kafkas {
        "PreparingRebalance" => "Joining",
        "CompletingRebalance" => "AwaitingSync",
        "Dead" => "Down",
        same => same,
    }
}

impl Group {
    /// What DescribeGroups tells; a coordinator that is divvy adds how many copies the plan has.
    pub fn from_wire(group: &DescribedGroup, copies: u16) -> Self {
        let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let members: Vec<Member> =
            group.members.iter().map(|member| Member::from_wire(&group.protocol_type, member)).collect();
        let states = members.iter().map(|member| (member.id.as_str(), &member.state));
        Self {
            alarms: surplus_owners(None, copies, states),
            id: group.group_id.to_string(),
            state: state(&group.group_state).to_owned(),
            protocol_type: named(&group.protocol_type),
            protocol: named(&group.protocol_data),
            members,
            ..Self::default()
        }
    }

    /// Whether the member leads.
    pub fn is_led_by(&self, member: &Member) -> bool {
        self.leader.as_ref() == Some(&member.id)
    }
}

impl Member {
    fn from_wire(protocol_type: &str, member: &DescribedGroupMember) -> Self {
        Self {
            id: member.member_id.to_string(),
            instance: member.group_instance_id.as_ref().map(|text| text.to_string()),
            client_id: member.client_id.to_string(),
            client_host: member.client_host.to_string(),
            metadata: show_metadata(protocol_type, &member.member_metadata),
            state: show_state(protocol_type, &member.member_assignment),
            ..Self::default()
        }
    }

    /// `clicks 0-3 7`, or the state as it is.
    pub fn owns_text(&self) -> String {
        match &self.state {
            Value::Object(topics) => by_topic(topics).unwrap_or_else(|| self.state.to_string()),
            Value::Null => "nothing".to_owned(),
            other => other.to_string(),
        }
    }
}

fn by_topic(topics: &Map<String, Value>) -> Option<String> {
    let lists: Option<Vec<(&str, Vec<i32>)>> =
        topics.iter().map(|(topic, list)| Some((topic.as_str(), numbers(list)?))).collect();
    let lists = lists?;
    Some(crate::cli::output::partitions(lists.iter().map(|(topic, list)| (*topic, list.as_slice()))))
}

fn numbers(list: &Value) -> Option<Vec<i32>> {
    list.as_array()?.iter().map(|number| i32::try_from(number.as_i64()?).ok()).collect()
}
