//! What happens to a member, as structured logs: target `divvy::member`, with group, member and generation.

use std::borrow::Cow;

use super::news::Note;
use super::told::{Duty, Writer};
use crate::assignor::{Fault, ServedBy};
use crate::ids::{Generation, GroupId, MemberId, Protocol};
use crate::membership::{Assigned, Ending, Membership, Notice, Peer, Role, Share};
use crate::text::Shown;

/// The generation with which a group begins.
const FIRST_EPOCH: i32 = 1;

const TARGET: &str = "divvy::member";

/// Who it happens to: the member as the coordinator knows it, if it does, and its generation.
#[derive(Clone)]
pub(super) struct Whose {
    member: MemberId,
    generation: Generation,
}

impl Whose {
    /// As it is now.
    pub(super) fn of(membership: &Membership) -> Self {
        Self { member: membership.id().clone(), generation: membership.generation() }
    }

    /// As it was, unless it was nobody then, or in no generation.
    pub(super) fn or(&self, now: &Membership) -> Cow<'_, Self> {
        match (self.member == MemberId::default(), self.generation == Generation::NONE) {
            (true, _) => Cow::Owned(Self::of(now)),
            (false, true) => Cow::Owned(Self { member: self.member.clone(), generation: now.generation() }),
            (false, false) => Cow::Borrowed(self),
        }
    }
}

/// Warns of a writer with the first epoch there is, where the coordinator may have given larger ones before: Kafka's forgets a
/// group that is empty, and what is written to may refuse this writer, or take an old one for the newer.
pub(super) fn warn_of_first_epoch(group: &GroupId, notice: &Notice, peer: Option<Peer>) {
    if peer == Some(Peer::Other) && is_first_epoch(notice) {
        tracing::warn!(
            target: TARGET,
            group = group.as_str(),
            epoch = FIRST_EPOCH,
            "this writer has the first epoch: the group is new, or its broker has forgotten it while nobody was in it; what was \
             written to under larger epochs refuses this one, and no old writer may be alive"
        );
    }
}

fn is_first_epoch(notice: &Notice) -> bool {
    let Notice::Assigned(assigned) = notice else { return false };
    assigned.duty() == Some(Duty::Active(Writer { epoch: FIRST_EPOCH }))
}

/// Whom a line is about.
struct Line<'a> {
    group: &'a str,
    member: &'a str,
    generation: i32,
}

/// Writes a line with the event and its fields.
macro_rules! log {
    ($line:expr, $event:literal $(, $field:ident = $value:expr)*) => {{
        let Line { group, member, generation } = *$line;
        tracing::info!(target: TARGET, event = $event, group, member, generation $(, $field = $value)*)
    }};
}

/// Writes one line.
pub(super) fn write(group: &GroupId, whose: &Whose, notice: &Notice) {
    let (member, generation) = match notice {
        Notice::Assigned(assigned) => (assigned.member.as_str(), assigned.generation.0),
        Notice::Revoke { generation, .. } => (whose.member.as_str(), generation.0),
        _ => (whose.member.as_str(), whose.generation.0),
    };
    let line = &Line { group: group.as_str(), member, generation };
    match notice {
        Notice::Assigned(it) => assigned(line, it),
        Notice::Revoke { share, .. } => log!(line, "revoked", pieces = pieces(share)),
        Notice::Lost { share, reason } => log!(line, "lost", pieces = pieces(share), reason = reason.as_str()),
        Notice::Failed { reason, .. } => log!(line, "failed", reason = reason.as_str()),
        Notice::OffersChanged(offers) => {
            log!(line, "offers", protocols = names(offers.iter().map(|it| &it.protocol)));
        }
        Notice::OffersLeftOut(protocols) => log!(line, "offers_left_out", protocols = names(protocols.iter())),
        Notice::Fault { fault: it, served_by } => fault(line, it, served_by),
        Notice::Planned(plan) => log!(
            line,
            "planned",
            planned = plan.generation.0,
            members = plan.members.len(),
            served_by = plan.served_by.to_string()
        ),
        Notice::TopicsMissing(topics) => log!(line, "topics_missing", topics = topics.len()),
        Notice::TopicsUnknown { reason } => log!(line, "topics_unknown", reason = reason.as_str()),
        Notice::Matching(topics) => log!(line, "matching", topics = topics.len()),
        Notice::Suspended(protocols) => log!(line, "suspended", protocols = protocols.len()),
        Notice::NoPlan { reason } => log!(line, "no_plan", reason = reason.as_str()),
        Notice::CoordinatorLost { reason } => log!(line, "coordinator_lost", reason = reason.as_str()),
        Notice::CoordinatorFound => log!(line, "coordinator_found"),
        Notice::LeaveRefused { reason } => log!(line, "leave_refused", reason = reason.as_str()),
        Notice::Drained => log!(line, "drained"),
        Notice::Ended(ending) => ended(line, ending),
    }
}

fn assigned(line: &Line<'_>, it: &Assigned) {
    log!(
        line,
        "assigned",
        protocol = it.protocol.as_str(),
        leader = it.leader.as_str(),
        cause = it.cause.name(),
        pieces = pieces(&it.share)
    );
    // Its leader has told of the fault itself.
    if let (Role::Follower, Some(by)) = (&it.role, &it.stand_in) {
        let protocol = it.protocol.as_str();
        log!(line, "stood_in", protocol = protocol, served_by = by.by.as_str(), reason = by.reason.as_str());
    }
}

fn fault(line: &Line<'_>, fault: &Fault, served_by: &ServedBy) {
    log!(
        line,
        "fault",
        protocol = fault.protocol.as_str(),
        kind = fault.kind.name(),
        message = fault.message.as_str(),
        served_by = served_by.to_string()
    );
}

fn ended(line: &Line<'_>, ending: &Ending) {
    match ending {
        Ending::Left => log!(line, "left"),
        Ending::Outside => log!(line, "ended", place = "none"),
        Ending::PlaceKept => log!(line, "ended", place = "kept"),
        Ending::Joining => log!(line, "ended", place = "unknown"),
        Ending::NotLeft { reason, .. } => log!(line, "ended", place = "not_left", reason = reason.as_str()),
    }
}

fn names<'a>(protocols: impl Iterator<Item = &'a Protocol>) -> String {
    protocols.map(|it| it.as_str()).collect::<Vec<_>>().join(",")
}

/// Writes one line about a file of a module.
pub(super) fn write_of_module(group: &GroupId, note: &Note) {
    let group = group.as_str();
    match note {
        Note::ModuleRefused { path, reason } => {
            let (file, reason) = (Shown(path.display()), reason.as_str());
            tracing::info!(target: TARGET, event = "module_refused", group, %file, reason);
        }
        Note::VersionsLeftOut(protocols) => {
            tracing::info!(target: TARGET, event = "versions_left_out", group, protocols = names(protocols.iter()));
        }
        Note::ModuleMended { path } => {
            let file = Shown(path.display());
            tracing::info!(target: TARGET, event = "module_mended", group, %file);
        }
        // The rest is told by the membership.
        _ => {}
    }
}

/// How many partitions; a state is one piece.
fn pieces(share: &Share) -> usize {
    match share {
        Share::Partitions(topics) => topics.iter().map(|(_, numbers)| numbers.len()).sum(),
        Share::State(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::single_writer::Role as State;
    use crate::membership::Cause;
    use crate::membership::config::{Config, Purpose};
    use crate::membership::event::JoinAnswer;
    use crate::membership::{Action, Event, Peer, Strategies};
    use crate::time::Now;
    use crate::wire::ErrorCode;

    #[test]
    fn what_ends_a_member_is_told_of_who_it_was() {
        let config = Config::new("indexers".into(), Purpose::Topics(vec!["clicks".into()]));
        let mut membership = Membership::new(config, 7, Now::default());
        membership.handle(Event::Strategies(Strategies::from_iter([])), Now::default());
        let wanted = membership.handle(Event::CoordinatorFound(Peer::Other), Now::default());
        let sent = wanted.into_iter().find_map(|it| match it {
            Action::Join(sent, _) => Some(sent),
            _ => None,
        });
        let answer = JoinAnswer { member: "m1".into(), ..JoinAnswer::refused(ErrorCode::MemberIdRequired) };
        membership.handle(Event::Joined(sent.unwrap(), answer), Now::default());
        let before = Whose::of(&membership);
        // LeaveGroup goes out, and is answered: from here on the member is nobody.
        let wanted = membership.handle(Event::Drain, Now::default());
        let sent = wanted.into_iter().find_map(|it| match it {
            Action::Leave(sent, _) => Some(sent),
            _ => None,
        });
        membership.handle(Event::LeaveDone(sent.unwrap(), ErrorCode::None), Now::default());
        assert_eq!(*membership.id(), MemberId::default());
        assert_eq!(before.or(&membership).member, MemberId::from("m1"));
        let nobody = Whose { member: MemberId::default(), generation: Generation::NONE };
        assert_eq!(nobody.or(&membership).member, *membership.id());
    }

    #[test]
    fn what_a_plan_and_an_answer_bring_is_told_of_with_their_generation() {
        let config = Config::new("indexers".into(), Purpose::Topics(vec!["clicks".into()]));
        let mut membership = Membership::new(config, 7, Now::default());
        membership.handle(Event::Strategies(Strategies::from_iter([])), Now::default());
        let wanted = membership.handle(Event::CoordinatorFound(Peer::Other), Now::default());
        let joins = |wanted: Vec<Action>| {
            let join = wanted.into_iter().find_map(|it| match it {
                Action::Join(sent, _) => Some(sent),
                _ => None,
            });
            join.unwrap()
        };
        let answer = JoinAnswer { member: "m1".into(), ..JoinAnswer::refused(ErrorCode::MemberIdRequired) };
        let wanted = membership.handle(Event::Joined(joins(wanted), answer), Now::default());
        let before = Whose::of(&membership);
        let answer = JoinAnswer {
            member: "m1".into(),
            leader: "m1".into(),
            generation: Generation(4),
            protocol: "range".into(),
            ..JoinAnswer::refused(ErrorCode::None)
        };
        membership.handle(Event::Joined(joins(wanted), answer), Now::default());
        assert_eq!(before.or(&membership).generation, Generation(4), "what the answer says is suspended");
        assert_eq!(Whose::of(&membership).generation, Generation(4), "a fault of the plan that is being made");
    }

    #[test]
    fn only_the_first_epoch_of_a_writer_is_warned_of() {
        let assigned = |active, epoch| {
            let state = State { active, epoch, active_member: "m".into() }.encode();
            Notice::Assigned(Assigned {
                generation: Generation(epoch),
                protocol: "active-standby@1".into(),
                digest: None,
                served_by: None,
                stand_in: None,
                leader: MemberId::default(),
                member: MemberId::default(),
                role: Role::Follower,
                cause: Cause::Group,
                share: Share::State(state.into()),
                user_data: None,
            })
        };
        assert!(is_first_epoch(&assigned(true, 1)));
        assert!(!is_first_epoch(&assigned(true, 2)) && !is_first_epoch(&assigned(false, 1)));
        assert!(!is_first_epoch(&Notice::Ended(Ending::Left)));
    }
}
