//! Facts become log lines and metrics.

use tracing::field::display;

use super::metrics::Metrics;
use super::quiet::Quiet;
use crate::assignor::FaultKind;
use crate::group::Fact;
use crate::ids::GroupId;
use crate::text::{Shown, list};

/// Who tells them.
#[derive(Clone)]
pub(crate) struct Teller {
    /// What is counted.
    pub(crate) metrics: Metrics,
    /// What is told only so often.
    pub(crate) quiet: Quiet,
}

impl Teller {
    /// Tells a fact of a group.
    pub(crate) fn tell(&self, group: &GroupId, fact: &Fact) {
        let group = Shown(group);
        match fact {
            Fact::StateChanged { from, to } => tracing::debug!(%group, from, to, "state changed"),
            Fact::Joined { member, client_id, client_host } => {
                let (member, client_id) = (Shown(member), Shown(client_id));
                tracing::info!(%group, %member, %client_id, client_host = &**client_host, "member joined");
            }
            Fact::Replaced { old, new } => {
                tracing::info!(%group, old = %Shown(old), new = %Shown(new), "static member came back");
            }
            Fact::Removed { member, why } => tracing::info!(%group, member = %Shown(member), why, "member removed"),
            Fact::RebalanceBegan(trigger) => {
                self.metrics.rebalance(trigger.kind());
                tracing::info!(%group, trigger = %Shown(trigger), "rebalance began");
            }
            Fact::RebalancePutOff(trigger) => {
                tracing::info!(%group, trigger = %Shown(trigger), "rebalance put off until the store takes writes");
            }
            Fact::GenerationBegan { generation, protocol, leader, members, trigger } => {
                let (protocol, leader, trigger) = (shown(protocol.as_ref()), shown(leader.as_ref()), Shown(trigger));
                let generation = generation.0;
                tracing::info!(%group, generation, protocol, leader, members, %trigger, "generation began");
            }
            Fact::PlanAccepted { generation, protocol, digest } => {
                let (generation, digest) = (generation.0, digest.map(display));
                tracing::info!(%group, generation, protocol = %Shown(protocol), digest, "plan accepted");
            }
            Fact::PlanRefused { generation, leader, reason } => {
                self.metrics.plan_refused();
                tracing::warn!(%group, generation = generation.0, leader = %Shown(leader), reason, "plan refused");
            }
            Fact::PlanChecked { generation, by } => {
                tracing::debug!(%group, generation = generation.0, by = by.name(), "plan checked");
            }
            Fact::PlanQuestioned { generation, leader, reason } => {
                self.metrics.plan_questioned();
                if let Some(left_out) = self.quiet.allows("questioned") {
                    let (generation, leader) = (generation.0, Shown(leader));
                    tracing::warn!(%group, generation, %leader, reason, left_out, "plan breaks a rule and is handed out");
                }
            }
            Fact::ModuleFailed { leader, fault, served } => {
                self.metrics.module_failed(kind_name(&fault.kind));
                let (leader, protocol, kind) = (Shown(leader), Shown(&fault.protocol), Shown(&fault.kind));
                let (digest, message) = (fault.digest.map(display), &fault.message);
                let what = match fault.kind == FaultKind::Busy.name() {
                    true => "a module could not be called in time",
                    false => "module failed",
                };
                tracing::warn!(%group, %leader, %protocol, digest, %kind, message, served, "{what}");
            }
            Fact::Suspended { suspension, for_ms } => {
                let (protocol, failures, reason) =
                    (Shown(&suspension.protocol), suspension.failures, &suspension.reason);
                let digest = suspension.digest.map(display);
                tracing::warn!(%group, %protocol, digest, for_ms, failures, reason, "protocol suspended");
            }
            Fact::DigestsDiffer { protocol, digests } => {
                let (protocol, digests) = (Shown(protocol), list(digests));
                tracing::warn!(%group, %protocol, digests, "members have different modules under one name: other builds, or other versions where the name is Kafka's own");
            }
            Fact::Refused { api, client_id, error, reason } => {
                if let Some(left_out) = self.quiet.allows("refused") {
                    let client_id = Shown(client_id);
                    tracing::warn!(%group, api, %client_id, %error, reason, left_out, "request refused");
                }
            }
            Fact::Committed { partitions } => {
                self.metrics.committed(*partitions);
                tracing::debug!(%group, partitions, "offsets committed");
            }
            Fact::CommitNotOwned(it) => {
                self.metrics.commit_not_owned(it.refused, it.partitions);
                if let Some(left_out) = self.quiet.allows("commit_not_owned") {
                    let (member, owner, refused) = (Shown(&it.member), Shown(&it.owner), it.refused);
                    let (partitions, topic, first) = (it.partitions, Shown(&it.first.0), it.first.1);
                    tracing::warn!(
                        %group, %member, partitions, %topic, first, %owner, refused, left_out,
                        "a member committed what another one has (commit.check)"
                    );
                }
            }
            Fact::OffsetsExpired { partitions } => {
                self.metrics.offsets_expired(*partitions);
                tracing::debug!(%group, partitions, "offsets expired");
            }
            Fact::OffsetsDeleted { partitions, why } => tracing::info!(%group, partitions, why, "offsets deleted"),
            Fact::GroupDeleted { why } => {
                self.metrics.group_deleted();
                if let Some(left_out) = self.quiet.allows("group_deleted") {
                    tracing::info!(%group, why, left_out, "group deleted");
                }
            }
        }
    }
}

fn shown<T: ToString>(value: Option<&T>) -> Option<String> {
    value.map(|value| Shown(value.to_string()).to_string())
}

/// The kind comes from a member: only the names that we know become a label.
fn kind_name(kind: &str) -> &'static str {
    const KINDS: [FaultKind; 14] = [
        FaultKind::GuestError,
        FaultKind::Trap,
        FaultKind::Deadline,
        FaultKind::Memory,
        FaultKind::Stack,
        FaultKind::Table,
        FaultKind::Input,
        FaultKind::Output,
        FaultKind::InvalidReply,
        FaultKind::InvalidAssignment,
        FaultKind::Rejected,
        FaultKind::Busy,
        FaultKind::Missing,
        FaultKind::Suspended,
    ];
    KINDS.into_iter().map(FaultKind::name).find(|name| *name == kind).unwrap_or("other")
}
