//! What happens to a member, as structured logs: target `divvy::member`, with group, member and generation.

use crate::ids::{Generation, GroupId, MemberId};
use crate::membership::{Assigned, Notice, Share};

const TARGET: &str = "divvy::member";

/// Who it happens to.
pub(super) struct Whose<'a> {
    pub(super) group: &'a GroupId,
    pub(super) identity: Option<(MemberId, Generation)>,
}

/// Writes one line.
pub(super) fn write(whose: &Whose<'_>, notice: &Notice) {
    let group = whose.group.as_str();
    let (member, generation) = match (notice, &whose.identity) {
        (Notice::Assigned(assigned), _) => (assigned.member.as_str(), assigned.generation.0),
        (Notice::Revoke { generation, .. }, Some((member, _))) => (member.as_str(), generation.0),
        (_, Some((member, generation))) => (member.as_str(), generation.0),
        (_, None) => ("", Generation::NONE.0),
    };
    macro_rules! log {
        ($event:literal $(, $field:ident = $value:expr)*) => {
            tracing::info!(target: TARGET, event = $event, group, member, generation $(, $field = $value)*)
        };
    }
    match notice {
        Notice::Assigned(Assigned { protocol, leader, cause, share, .. }) => log!(
            "assigned",
            protocol = protocol.as_str(),
            leader = leader.as_str(),
            cause = cause.name(),
            pieces = pieces(share)
        ),
        Notice::Revoke { share, .. } => log!("revoked", pieces = pieces(share)),
        Notice::Lost { share, reason } => log!("lost", pieces = pieces(share), reason = reason.as_str()),
        Notice::Failed { reason } => log!("failed", reason = reason.as_str()),
        Notice::OffersChanged(offers) => {
            let names: Vec<&str> = offers.iter().map(|it| it.protocol.as_str()).collect();
            log!("offers", protocols = names.join(","));
        }
        Notice::Fault { fault, served_by } => log!(
            "fault",
            protocol = fault.protocol.as_str(),
            kind = fault.kind.name(),
            message = fault.message.as_str(),
            served_by = served_by.to_string()
        ),
        Notice::Planned(plan) => log!(
            "planned",
            planned = plan.generation.0,
            members = plan.members.len(),
            served_by = plan.served_by.to_string()
        ),
        Notice::TopicsMissing(topics) => log!("topics_missing", topics = topics.len()),
        Notice::Matching(topics) => log!("matching", topics = topics.len()),
        Notice::Suspended(protocols) => log!("suspended", protocols = protocols.len()),
        Notice::NoPlan { reason } => log!("no_plan", reason = reason.as_str()),
        Notice::CoordinatorLost { reason } => log!("coordinator_lost", reason = reason.as_str()),
        Notice::CoordinatorFound => log!("coordinator_found"),
        Notice::LeaveRefused { reason } => log!("leave_refused", reason = reason.as_str()),
        Notice::Drained => log!("drained"),
        Notice::Left => log!("left"),
    }
}

/// How many partitions; a state is one piece.
fn pieces(share: &Share) -> usize {
    match share {
        Share::Partitions(topics) => topics.iter().map(|(_, numbers)| numbers.len()).sum(),
        Share::State(_) => 1,
    }
}
