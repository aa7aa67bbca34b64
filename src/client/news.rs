//! What [`super::Member::next`] gives: work to do, work to give up, and a few things that people want to read.

use std::fmt;
use std::path::PathBuf;

use super::inbox::Inbox;
use crate::ids::{Generation, Protocol, TopicName};
use crate::membership::lead::{Fault, ServedBy};
use crate::membership::leading::Planned;
use crate::membership::limits::MAX_OFFERS;
use crate::membership::negotiate::Offer;
use crate::membership::{Assigned, Notice, Share};
use crate::text::plain;

/// How many of the modules that are not offered are named in a sentence.
const NAMED_OFFERS: usize = 16;

/// What happened to the member.
#[derive(Debug)]
pub enum Rebalance {
    /// This is its work now, until it is told otherwise.
    Assigned(Assigned),
    /// It has to finish this work and say so with [`Revoked::done`]: the group waits, at most for the rebalance timeout.
    Revoked(Revoked),
    /// This work may already be another's: stop at once.
    Lost {
        /// What was lost.
        share: Share,
        /// Why.
        reason: String,
    },
    /// The member is out for good: [`super::Member::next`] gives nothing more.
    Failed {
        /// Why, and what to do about it.
        reason: String,
    },
    /// After [`super::Member::drain`]: everything is handed over, and the member is out of its group until
    /// [`super::Member::resume`].
    Drained,
    /// Something to read; nothing has to be done.
    Note(Note),
}

/// Work to give up.
#[derive(Debug)]
pub struct Revoked {
    share: Share,
    generation: Generation,
    inbox: Inbox,
}

impl Revoked {
    /// What to give up.
    pub fn share(&self) -> &Share {
        &self.share
    }

    /// The generation in which it was assigned.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// It is given up: others may have it. Dropping says the same.
    pub fn done(self) {}
}

impl Drop for Revoked {
    fn drop(&mut self) {
        self.inbox.given_up(self.generation);
    }
}

/// Something to read.
#[derive(Clone, PartialEq, Debug)]
pub enum Note {
    /// The member offers something else than before, most wanted first.
    OffersChanged(Vec<Offer>),
    /// The member has more modules than it can offer; these, the least wanted, are left out. None any more when it is empty.
    OffersLeftOut(Vec<Protocol>),
    /// Versions of strategies that are there and not offered, since newer ones are.
    VersionsLeftOut(Vec<Protocol>),
    /// A file in a folder of assignors does not serve.
    ModuleRefused {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file or folder that was refused is good again: its signature is there, or it was replaced.
    ModuleMended {
        /// Which.
        path: PathBuf,
    },
    /// A strategy failed while this member led.
    Fault {
        /// What failed.
        fault: Fault,
        /// What served the generation instead.
        served_by: ServedBy,
    },
    /// The plan of a member that leads for others is in force.
    Planned(Box<Planned>),
    /// Topics that do not exist; the member waits for them.
    TopicsMissing(Vec<TopicName>),
    /// Again and again nobody says which topics there are; the member goes on asking.
    TopicsUnknown {
        /// Why.
        reason: String,
    },
    /// The vote passes these protocols over.
    Suspended(Vec<(Protocol, String)>),
    /// The coordinator gave no state; the member joins again.
    NoPlan {
        /// Why.
        reason: String,
    },
    /// The coordinator cannot be reached; the member looks for it.
    CoordinatorLost {
        /// Why.
        reason: String,
    },
    /// The coordinator is found again.
    CoordinatorFound,
    /// The pattern matches these topics now.
    Matching(Vec<TopicName>),
    /// The coordinator did not let the member leave.
    LeaveRefused {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::OffersChanged(offers) => {
                let names: Vec<_> = offers.iter().map(|it| it.protocol.as_str()).collect();
                write!(f, "offers {}", names.join(", "))
            }
            Note::OffersLeftOut(protocols) if protocols.is_empty() => f.write_str("offers all of its modules again"),
            Note::OffersLeftOut(protocols) => f.write_str(&left_out(protocols)),
            Note::VersionsLeftOut(protocols) => f.write_str(&passed_over(protocols)),
            Note::ModuleRefused { path, reason } => {
                write!(f, "{} does not serve: {}", plain(&path.display().to_string()), plain(reason))
            }
            Note::ModuleMended { path } => write!(f, "{} is good again", plain(&path.display().to_string())),
            Note::Fault { fault, served_by } => f.write_str(&failed(fault, served_by)),
            Note::Planned(plan) => {
                write!(f, "planned generation {} for {} members", plan.generation, plan.members.len())
            }
            Note::TopicsMissing(topics) => {
                let names: Vec<_> = topics.iter().map(|it| it.as_str()).collect();
                write!(
                    f,
                    "no topic {} yet: the member waits for it (`divvy topics create` makes one, unless topics come from a Kafka cluster)",
                    names.join(", ")
                )
            }
            Note::TopicsUnknown { reason } => {
                write!(f, "which topics there are is not known, and asked again: {reason}")
            }
            Note::Suspended(protocols) => {
                let each: Vec<_> =
                    protocols.iter().map(|(protocol, reason)| format!("{protocol} ({reason})")).collect();
                write!(f, "suspended: {}", each.join(", "))
            }
            Note::NoPlan { reason } => write!(f, "no assignment in this generation: {reason}"),
            Note::CoordinatorLost { reason } => write!(f, "waits for the coordinator: {reason}"),
            Note::CoordinatorFound => f.write_str("coordinator found"),
            Note::Matching(topics) if topics.is_empty() => {
                f.write_str("no topic matches the pattern yet: the member waits for one")
            }
            Note::Matching(topics) => {
                let names: Vec<_> = topics.iter().map(|it| it.as_str()).collect();
                write!(f, "the pattern matches {}", names.join(", "))
            }
            Note::LeaveRefused { reason } => {
                write!(
                    f,
                    "the coordinator refuses that the member leaves, so others get its work when its session ends: {reason}"
                )
            }
        }
    }
}

fn passed_over(protocols: &[Protocol]) -> String {
    let are = if protocols.len() == 1 { "is" } else { "are" };
    format!(
        "{} {are} there and not offered, since newer versions are: name what is wanted (--assignor NAME@VERSION), or remove some \
         files",
        some_of(protocols)
    )
}

fn some_of(protocols: &[Protocol]) -> String {
    let named: Vec<_> = protocols.iter().take(NAMED_OFFERS).map(Protocol::as_str).collect();
    let more = protocols.len().saturating_sub(NAMED_OFFERS);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", named.join(", "))
}

fn left_out(protocols: &[Protocol]) -> String {
    format!(
        "a member offers {MAX_OFFERS} protocols at most, so {} of its modules are not offered, those of the lowest rank: \
         {}; remove some files, or name what is wanted (--assignor)",
        protocols.len(),
        some_of(protocols)
    )
}

fn failed(fault: &Fault, served_by: &ServedBy) -> String {
    let digest = fault.digest.map(|it| format!(" ({})", it.short())).unwrap_or_default();
    let (kind, message) = (fault.kind.name(), plain(&fault.message));
    format!("{}{digest} failed ({kind}: {message}); the generation is served by {served_by}", fault.protocol)
}

/// A notice in the application's words; none for the end, which [`super::Member::next`] tells by giving nothing more.
pub(super) fn rebalance(notice: Notice, inbox: &Inbox) -> Option<Rebalance> {
    let note = match notice {
        Notice::Assigned(assigned) => return Some(Rebalance::Assigned(assigned)),
        Notice::Revoke { generation, share } => {
            return Some(Rebalance::Revoked(Revoked { share, generation, inbox: inbox.clone() }));
        }
        Notice::Lost { share, reason } => return Some(Rebalance::Lost { share, reason }),
        Notice::Failed { reason, .. } => return Some(Rebalance::Failed { reason }),
        Notice::Drained => return Some(Rebalance::Drained),
        Notice::Ended(_) => return None,
        Notice::OffersChanged(offers) => Note::OffersChanged(offers),
        Notice::OffersLeftOut(protocols) => Note::OffersLeftOut(protocols),
        Notice::Fault { fault, served_by } => Note::Fault { fault, served_by },
        Notice::Planned(plan) => Note::Planned(plan),
        Notice::TopicsMissing(topics) => Note::TopicsMissing(topics),
        Notice::TopicsUnknown { reason } => Note::TopicsUnknown { reason },
        Notice::Suspended(protocols) => Note::Suspended(protocols),
        Notice::NoPlan { reason } => Note::NoPlan { reason },
        Notice::CoordinatorLost { reason } => Note::CoordinatorLost { reason },
        Notice::CoordinatorFound => Note::CoordinatorFound,
        Notice::Matching(topics) => Note::Matching(topics),
        Notice::LeaveRefused { reason } => Note::LeaveRefused { reason },
    };
    Some(Rebalance::Note(note))
}
