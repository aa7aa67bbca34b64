//! What members ask of the coordinator, and the only place where the requests are built.

use std::fmt;
use std::time::Duration;

use divvy::group::Reply;
use divvy::group::event::*;
use divvy::ids::{Generation, InstanceId, MemberId};

/// A request.
#[derive(Clone, Debug)]
pub enum Call {
    Join(JoinRequest),
    Sync(SyncRequest),
    Heartbeat(HeartbeatRequest),
    Leave(LeaveRequest),
    Commit(CommitRequest),
}

/// Who asks, as it would say in any request.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    pub member: MemberId,
    pub instance: Option<InstanceId>,
    pub generation: Generation,
}

impl Call {
    /// The request as it reaches its group.
    pub fn with(self, ticket: Ticket) -> Event {
        match self {
            Call::Join(request) => Event::Join(ticket, request),
            Call::Sync(request) => Event::Sync(ticket, request),
            Call::Heartbeat(request) => Event::Heartbeat(ticket, request),
            Call::Leave(request) => Event::Leave(ticket, request),
            Call::Commit(request) => Event::Commit(ticket, request),
        }
    }

    /// Whether it may wait at the coordinator.
    pub fn parks(&self) -> bool {
        matches!(self, Call::Join(_) | Call::Sync(_))
    }

    /// The id that it comes under.
    pub fn member(&self) -> Option<&MemberId> {
        match self {
            Call::Join(it) => Some(&it.member),
            Call::Sync(it) => Some(&it.member),
            Call::Heartbeat(it) => Some(&it.member),
            Call::Commit(it) => Some(&it.member),
            Call::Leave(_) => None,
        }
    }

    pub fn sync(who: &Identity, result: LeaderResult) -> Self {
        let Identity { member, instance, generation } = who.clone();
        Call::Sync(SyncRequest { member, instance, generation, protocol_type: None, protocol: None, result })
    }

    pub fn heartbeat(who: &Identity, modules: Option<Vec<ModuleOffer>>, wait: Option<Duration>) -> Self {
        let Identity { member, instance, generation } = who.clone();
        Call::Heartbeat(HeartbeatRequest { member, instance, generation, modules, wait })
    }

    pub fn leave(who: &Identity) -> Self {
        let leaver = Leaver { member: who.member.clone(), instance: who.instance.clone(), reason: None };
        Call::Leave(LeaveRequest { members: vec![leaver] })
    }

    pub fn commit(who: &Identity, offsets: Vec<CommittedOffset>) -> Self {
        let Identity { member, instance, generation } = who.clone();
        Call::Commit(CommitRequest { member, instance, generation, offsets, retention: None })
    }
}

/// What stands in a JoinGroup.
pub struct Join {
    pub who: Identity,
    pub client_id: String,
    pub version: i16,
    pub session_ms: u64,
    pub rebalance_ms: u64,
    pub protocol_type: &'static str,
    pub protocols: Vec<OfferedProtocol>,
    pub modules: Option<Vec<ModuleOffer>>,
}

impl From<Join> for Call {
    fn from(join: Join) -> Call {
        Call::Join(JoinRequest {
            member: join.who.member,
            instance: join.who.instance.filter(|_| join.version >= 5),
            client_id: join.client_id.into(),
            client_host: "/sim".into(),
            session_timeout: Duration::from_millis(join.session_ms),
            rebalance_timeout: Duration::from_millis(join.rebalance_ms),
            protocol_type: join.protocol_type.into(),
            protocols: join.protocols.into(),
            handshake: if join.version >= 4 { IdHandshake::Required } else { IdHandshake::None },
            modules: join.modules,
            skip_assignment: if join.version >= 9 { SkipAssignment::Understood } else { SkipAssignment::Unknown },
            reason: None,
        })
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Join(it) => {
                let offers: Vec<_> = it.protocols.iter().map(|offer| offer.name.as_str()).collect();
                write!(f, "JoinGroup as {:?}{} offers {offers:?}", it.member, instance(&it.instance))
            }
            Call::Sync(it) => {
                let plan = match &it.result {
                    LeaderResult::Plan { states, .. } if states.is_empty() => String::new(),
                    LeaderResult::Plan { states, .. } => format!(" with {} states", states.len()),
                    LeaderResult::Error(fault) => format!(" with an error ({})", fault.kind),
                };
                write!(f, "SyncGroup as {:?}{} in {}{plan}", it.member, instance(&it.instance), it.generation)
            }
            Call::Heartbeat(it) => {
                let news = if it.modules.is_some() { " with other modules" } else { "" };
                write!(f, "Heartbeat as {:?} in {}{news}", it.member, it.generation)
            }
            Call::Leave(it) => {
                let who: Vec<_> = it.members.iter().map(|it| it.member.as_str()).collect();
                write!(f, "LeaveGroup {who:?}")
            }
            Call::Commit(it) => {
                let what: Vec<_> = it.offsets.iter().map(|it| format!("{}={}", it.partition, it.offset)).collect();
                write!(f, "OffsetCommit as {:?} in {}: {}", it.member, it.generation, what.join(" "))
            }
        }
    }
}

fn instance(instance: &Option<InstanceId>) -> String {
    instance.as_ref().map(|it| format!(" [{it}]")).unwrap_or_default()
}

/// An answer in a line.
pub fn shown(reply: &Reply) -> String {
    match reply {
        Reply::Join(it) if it.error.is_error() => format!("JoinGroup error {} id {:?}", it.error.code(), it.member),
        Reply::Join(it) => {
            let protocol = it.protocol.as_ref().map_or("", |it| it.as_str());
            format!("JoinGroup generation {} as {:?}, {protocol:?} led by {:?}", it.generation, it.member, it.leader)
        }
        Reply::Sync(it) if it.error.is_error() => format!("SyncGroup error {}", it.error.code()),
        Reply::Sync(it) => format!("SyncGroup {} bytes", it.state.len()),
        Reply::Heartbeat(error) => format!("Heartbeat {}", error.code()),
        Reply::Leave(it) => format!("LeaveGroup {:?}", it.members.iter().map(|it| it.2.code()).collect::<Vec<_>>()),
        Reply::Commit(it) => format!("OffsetCommit {:?}", it.iter().map(|it| it.2.code()).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}
