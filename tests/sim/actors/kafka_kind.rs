//! Which client of Kafka's a model stands for, and what it was written to do wrong.

use divvy::ids::InstanceId;

/// What a client was written to do wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quirk {
    None,
    /// It joins, beats, and never asks for its state.
    NeverSyncs,
    /// It sends everything twice, over both of its connections.
    Repeats,
    /// It beats and commits in generations that are over.
    LivesInThePast,
    /// It takes an id and leaves with it.
    LeavesWithItsId,
    /// It joins and is never heard again.
    FallsSilent,
    /// It gives up a JoinGroup early and sends it again.
    IsImpatient,
}

/// All of them.
pub const QUIRKS: [Quirk; 7] = [
    Quirk::None,
    Quirk::NeverSyncs,
    Quirk::Repeats,
    Quirk::LivesInThePast,
    Quirk::LeavesWithItsId,
    Quirk::FallsSilent,
    Quirk::IsImpatient,
];

/// What kind of client.
#[derive(Clone, Debug)]
pub struct Kind {
    pub name: String,
    /// Of JoinGroup: 3 knows no id hand-out, 5 does and has instance ids.
    pub version: i16,
    pub instance: Option<InstanceId>,
    pub offers: Vec<&'static str>,
    pub session_ms: u64,
    pub rebalance_ms: u64,
    pub heartbeat_ms: u64,
    pub quirk: Quirk,
    /// Whether it throws its id away on errors that would not need it (aiokafka, kafkajs).
    pub forgets_its_id: bool,
    /// Whether each of its processes reads other topics than the one before.
    pub wavers: bool,
}
