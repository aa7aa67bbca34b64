//! What an operator decides for a group: it lives with the coordinator and outranks what members wish for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
}

impl GroupSettings {
    /// The same in every process: leader and coordinator never judge by different rules without noticing.
    pub fn hash(&self) -> u64 {
        let bytes = serde_json::to_vec(self).expect("settings are plain data with text keys");
        xxhash_rust::xxh3::xxh3_64(&bytes)
    }
}
