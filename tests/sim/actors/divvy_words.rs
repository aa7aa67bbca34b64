//! What divvy's client does on the way between its member and the coordinator: it puts the words of each into the other's.

use divvy::assignor::MemberInput;
use divvy::group::effects::{JoinReply, SyncReply};
use divvy::group::event::{Fault, PlanOrigin};
use divvy::membership::StandIn;
use divvy::membership::event::{JoinAnswer, JoinExtras, Origin, Sent, SyncAnswer};
use divvy::membership::lead::Rules;
use divvy::topics::{Topic, TopicTable};

use super::TOPICS;
use crate::calls::Identity;

pub fn identity(sent: &Sent) -> Identity {
    Identity { member: sent.member.clone(), instance: None, generation: sent.generation }
}

pub fn fault(it: &divvy::membership::lead::Fault) -> Fault {
    Fault {
        protocol: it.protocol.clone(),
        digest: it.digest,
        kind: it.kind.name().to_owned(),
        message: it.message.clone(),
    }
}

pub fn origin(it: &Origin) -> PlanOrigin {
    PlanOrigin {
        digest: it.digest,
        settings_hash: it.settings_hash,
        topics: it.topics.clone(),
        copies: it.copies,
        mode: it.mode,
        asked_ms: it.asked_ms,
        complete: it.complete,
        memo: it.memo.clone(),
        fault: it.fault.as_ref().map(fault),
    }
}

pub fn join_answer(reply: JoinReply) -> JoinAnswer {
    let member = |it: divvy::group::effects::JoinedMember| MemberInput {
        id: it.id,
        instance: it.instance,
        metadata: it.metadata,
    };
    let extras = reply.divvy.map(|it| JoinExtras {
        rules: Rules {
            assignors: it.settings.assignors.clone(),
            config: it.settings.config.clone(),
            fallback: it.settings.fallback.clone(),
            hash: it.settings.hash(),
        },
        suspended: it.suspended.into_iter().map(|it| (it.protocol, it.reason)).collect(),
        memo: it.memo,
    });
    JoinAnswer {
        error: reply.error,
        generation: reply.generation,
        protocol: reply.protocol.unwrap_or_default(),
        leader: reply.leader,
        member: reply.member,
        members: reply.members.into_iter().map(member).collect(),
        skip_assignment: reply.skip_assignment,
        extras,
    }
}

pub fn sync_answer(reply: SyncReply) -> SyncAnswer {
    let stand_in = reply.stand_in.map(|it| StandIn { by: it.by, reason: it.reason });
    SyncAnswer { error: reply.error, state: reply.state, reason: reply.reason, stand_in }
}

/// The topics as the coordinator tells them.
pub fn topics() -> TopicTable {
    let topic =
        |(name, partitions): &(&str, u32)| ((*name).into(), Topic { partitions: *partitions, racks: Vec::new() });
    TopicTable(TOPICS.iter().map(topic).collect())
}
