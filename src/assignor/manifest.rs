//! What a module says of itself: the JSON in its custom section `divvy.manifest`.

use serde::{Deserialize, Serialize};

pub use crate::ids::Mode;
use crate::ids::{Protocol, ProtocolType};

/// What an assignor computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Who owns which partition: the host decodes and encodes.
    #[default]
    Partitions,
    /// One opaque state for each member: the proposal's contract word for word.
    States,
}

/// Whether a member offers the strategy without being told to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offer {
    /// It does, by rank.
    #[default]
    Default,
    /// Only when its settings name it.
    ByName,
}

/// The limits that a module asks for; one that asks for more than its operator allows is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AskedLimits {
    /// Memory, in MiB.
    #[serde(default)]
    pub memory_mib: Option<u32>,
    /// Time for one call, in milliseconds.
    #[serde(default)]
    pub ms: Option<u32>,
}

/// The manifest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// `"1.0"`: the ABI's major and minor version.
    pub abi: String,
    /// The strategy's name.
    pub name: String,
    /// The strategy's version; a newer one is preferred.
    #[serde(default = "one")]
    pub version: u32,
    /// The protocol type that it serves.
    #[serde(default = "consumer")]
    pub protocol_type: String,
    /// What it computes.
    #[serde(default)]
    pub shape: Shape,
    /// How members hand over.
    #[serde(default)]
    pub mode: Mode,
    /// Whether a partition may go to several members.
    #[serde(default)]
    pub copies: Copies,
    /// Whether every partition must have an owner.
    #[serde(default = "yes")]
    pub complete: bool,
    /// Whether it is offered without being named.
    #[serde(default)]
    pub offer: Offer,
    /// Among those offered by default, higher first.
    #[serde(default = "default_rank")]
    pub rank: u32,
    /// The columns it reads: `replica_racks`, `lag`, and any of the application's own (ABI 1), so no name is refused: a
    /// strategy gets those that the host knows.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The limits it asks for.
    #[serde(default)]
    pub limits: AskedLimits,
    /// A JSON schema of its configuration.
    #[serde(default)]
    pub config_schema: Option<serde_json::Value>,
    /// Its licence.
    #[serde(default)]
    pub license: Option<String>,
    /// Where its source is.
    #[serde(default)]
    pub source: Option<String>,
    /// What it does, in a sentence.
    #[serde(default)]
    pub description: Option<String>,
    /// The SDK it was made with.
    #[serde(default)]
    pub sdk: Option<String>,
}

/// How many members a partition may go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Copies {
    /// One.
    #[default]
    One,
    /// As many as the plan says.
    Many,
}

/// The column by which a strategy says that it reads the racks of replicas.
const REPLICA_RACKS: &str = "replica_racks";

/// Names that Kafka's clients know: they stay plain on the wire.
pub const KAFKAS_OWN_NAMES: [&str; 4] = ["range", "roundrobin", "sticky", "cooperative-sticky"];

impl Manifest {
    /// The name under which members offer it: `name@version`, or Kafka's plain name.
    pub fn protocol(&self) -> Protocol {
        if KAFKAS_OWN_NAMES.contains(&self.name.as_str()) {
            Protocol::from(self.name.as_str())
        } else {
            Protocol::from(format!("{}@{}", self.name, self.version))
        }
    }

    /// Whether a name means it, alone or with its version.
    pub fn is_called(&self, wanted: &str) -> bool {
        match wanted.split_once('@') {
            None => self.name == wanted,
            Some((name, version)) => self.name == name && version.parse() == Ok(self.version),
        }
    }

    /// Whether it reads in which racks the replicas of a partition are.
    pub fn needs_racks(&self) -> bool {
        self.needs.iter().any(|it| it == REPLICA_RACKS)
    }

    /// How members hand over under the name that a strategy serves (DESIGN 6.4): it belongs to the name, since members
    /// act by it whatever made the plan. A name of divvy's carries its manifest's mode; whoever lets a strategy serve
    /// under another name has `stated` it.
    pub fn mode_under(&self, protocol: &Protocol, stated: Option<Mode>) -> Mode {
        Mode::of_kafkas(protocol).or(stated).unwrap_or(self.mode)
    }

    /// The protocol type that it serves.
    pub fn protocol_type(&self) -> ProtocolType {
        ProtocolType::from(self.protocol_type.as_str())
    }
}

fn one() -> u32 {
    1
}
fn consumer() -> String {
    "consumer".to_owned()
}
fn yes() -> bool {
    true
}
fn default_rank() -> u32 {
    50
}
