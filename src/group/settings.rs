//! What an operator decides for a group: it lives with the coordinator and outranks what members wish for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{Mode, Protocol};

/// Whether a divvy leader's plan is checked before it is handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanCheck {
    /// It is not.
    Off,
    /// It is, and a broken rule is only reported.
    Warn,
    /// It is, and a plan that breaks a rule is refused.
    #[default]
    Enforce,
}

/// What becomes of a commit for a partition that is another member's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommitCheck {
    /// Nobody looks.
    Off,
    /// It is stored, counted and logged.
    #[default]
    Warn,
    /// It is refused, for that partition alone.
    Enforce,
}

/// Whether a foreign leader's plan is checked for what no member survives: bytes that cannot be read, topics that a member
/// does not subscribe to, one partition twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForeignPlanCheck {
    /// It is not.
    Off,
    /// It is, beside its way to the members, and reported.
    #[default]
    Warn,
    /// It is, before it is handed out, and refused.
    Enforce,
}

/// How the leader of a generation is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeaderSelection {
    /// The present leader stays while it does its work; else one is drawn.
    #[default]
    Keep,
    /// One is drawn for every generation (the proposal).
    Random,
}

/// Who makes the plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lead {
    /// The member that leads.
    #[default]
    Members,
    /// The coordinator, with its own modules: unmodified clients too are then assigned by a module.
    Coordinator,
}

/// A name under which a module serves that is not its own: unmodified clients offer fixed ones.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Alias {
    /// What the members offer.
    pub protocol: String,
    /// What serves it: `name@version`, or `name` for the newest version.
    pub assignor: String,
    /// How members hand over under that name; needed for names that are neither Kafka's nor divvy's.
    pub mode: Option<Mode>,
}

/// The settings of one group.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupSettings {
    /// Protocols in the operator's order; they outrank the members' order.
    pub assignors: Vec<String>,
    /// For each assignor, by its name without version: its configuration.
    pub config: BTreeMap<String, serde_json::Value>,
    /// The protocol that serves a generation whose own protocol failed.
    pub fallback: Option<String>,
    /// Whether plans are checked.
    pub plan_check: PlanCheck,
    /// Whether foreign leaders' plans are checked.
    pub plan_check_foreign: ForeignPlanCheck,
    /// How the leader is found.
    pub leader_selection: LeaderSelection,
    /// Whether a commit has to come from the partition's owner.
    pub commit_check: CommitCheck,
    /// Who makes the plans.
    pub lead: Lead,
    /// Names under which modules serve where the coordinator leads.
    #[serde(rename = "alias")]
    pub aliases: Vec<Alias>,
}

impl GroupSettings {
    /// The alias for a protocol, if there is one.
    pub fn alias(&self, protocol: &Protocol) -> Option<&Alias> {
        self.aliases.iter().find(|alias| *protocol == *alias.protocol.as_str())
    }

    /// How members hand over under a protocol (DESIGN 6.4: it belongs to the name); none: as its module says.
    pub fn mode(&self, protocol: &Protocol) -> Option<Mode> {
        Mode::of_kafkas(protocol).or_else(|| self.alias(protocol).and_then(|alias| alias.mode))
    }

    /// The configuration of an assignor, by its name with or without version.
    pub fn config_of(&self, assignor: &str) -> &serde_json::Value {
        let name = assignor.split('@').next().unwrap_or(assignor);
        self.config.get(name).unwrap_or(&serde_json::Value::Null)
    }

    /// The same in every process: leader and coordinator never judge by different rules without noticing.
    pub fn hash(&self) -> u64 {
        Self::hash_of(&self.json())
    }

    /// The same of settings that were written already.
    pub fn hash_of(json: &str) -> u64 {
        xxhash_rust::xxh3::xxh3_64(json.as_bytes())
    }

    /// As members are told them.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("settings are plain data with text keys")
    }
}
