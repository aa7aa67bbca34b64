//! A member's wishes in Kafka's words, and the answers in the member's: API versions stop here. divvy's own fields go
//! only to a coordinator that showed itself as divvy.

use std::time::Duration;

use super::limits::REASON_MAX_CHARS;
use crate::assignor::MemberInput;
use crate::ids::{Digest, Generation, GroupId, InstanceId, MemberId, Protocol};
use crate::membership::event::{
    JoinAnswer, JoinCall, JoinExtras, Leaving, Origin, PlanOrError, Sent, SyncAnswer, SyncCall,
};
use crate::membership::lead::Rules;
use crate::membership::negotiate::Offer;
use crate::membership::{Peer, StandIn};
use crate::peer::Connection;
use crate::wire::divvy::{
    FaultTag, HeartbeatRequestTag, JoinRequestTag, JoinResponseTag, SyncRequestTag, SyncResponseTag,
};
use crate::wire::messages::heartbeat::HeartbeatRequest;
use crate::wire::messages::join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, JoinGroupResponseMember,
};
use crate::wire::messages::leave_group::{LeaveGroupRequest, MemberIdentity};
use crate::wire::messages::sync_group::{SyncGroupRequest, SyncGroupRequestAssignment};
use crate::wire::{ErrorCode, Tags, Text};

/// Who sends, and how long parked requests may wait.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) group: GroupId,
    /// The member's lasting name (KIP-345).
    pub(super) instance: Option<Text>,
    pub(super) session_timeout: Duration,
    pub(super) rebalance_timeout: Duration,
    /// For JoinGroup and SyncGroup.
    pub(super) parked: Duration,
}

impl Caller {
    pub(super) async fn join(&self, to: &Connection, sent: &Sent, call: &JoinCall) -> Result<JoinAnswer, String> {
        let mut request = JoinGroupRequest {
            group_id: self.group.as_str().into(),
            session_timeout_ms: millis(self.session_timeout),
            rebalance_timeout_ms: millis(self.rebalance_timeout),
            member_id: sent.member.as_str().into(),
            group_instance_id: self.instance.clone(),
            protocol_type: call.protocol_type.as_str().into(),
            reason: Some(call.reason.chars().take(REASON_MAX_CHARS).collect::<String>().into()),
            ..JoinGroupRequest::default()
        };
        let protocol = |name: &Protocol, metadata| JoinGroupRequestProtocol { name: name.as_str().into(), metadata };
        request.protocols =
            call.offers.iter().map(|(offer, metadata)| protocol(&offer.protocol, metadata.clone())).collect();
        if to.peer() == Peer::Divvy {
            let module = |(offer, _): &(Offer, _)| Some((offer.protocol.clone(), offer.digest?));
            JoinRequestTag { modules: call.offers.iter().filter_map(module).collect() }.put(&mut request.tags);
        }
        let answer = to.call(&request, self.parked).await?;
        Ok(join_answer(answer))
    }

    pub(super) async fn sync(&self, to: &Connection, sent: &Sent, call: &SyncCall) -> Result<SyncAnswer, String> {
        let mut request = SyncGroupRequest {
            group_id: self.group.as_str().into(),
            generation_id: sent.generation.0,
            member_id: sent.member.as_str().into(),
            group_instance_id: self.instance.clone(),
            protocol_type: Some(call.protocol_type.as_str().into()),
            protocol_name: Some(call.protocol.as_str().into()),
            ..SyncGroupRequest::default()
        };
        let states = call.states.iter();
        request.assignments = states
            .map(|(id, state)| SyncGroupRequestAssignment { member_id: id.as_str().into(), assignment: state.clone() })
            .collect();
        if let (Peer::Divvy, Some(origin)) = (to.peer(), &call.origin) {
            origin_tag(origin).put(&mut request.tags);
        }
        let answer = to.call(&request, self.parked).await?;
        let told = SyncResponseTag::take(&answer.tags).ok().flatten().unwrap_or_default();
        let reason = Some(told.reason).filter(|it| !it.is_empty());
        let stand_in = told.stand_in.map(|it| StandIn { by: it.by, reason: it.reason });
        Ok(SyncAnswer { error: answer.error_code, state: answer.assignment, reason, stand_in })
    }

    pub(super) async fn heartbeat(
        &self,
        to: &Connection,
        sent: &Sent,
        modules: Option<Vec<(Protocol, Digest)>>,
    ) -> Result<ErrorCode, String> {
        let mut request = self.beat(sent);
        if let (Peer::Divvy, Some(modules)) = (to.peer(), modules) {
            HeartbeatRequestTag { modules: Some(modules), wait_ms: None }.put(&mut request.tags);
        }
        // A heartbeat that takes a whole session says nothing any more.
        let answer = to.call(&request, to.request_timeout().min(self.session_timeout)).await?;
        Ok(answer.error_code)
    }

    /// A heartbeat whose answer may be held until something happens.
    pub(super) async fn listen(&self, to: &Connection, sent: &Sent, wait: Duration) -> Result<ErrorCode, String> {
        let mut request = self.beat(sent);
        let wait_ms = u32::try_from(wait.as_millis()).unwrap_or(u32::MAX);
        HeartbeatRequestTag { modules: None, wait_ms: Some(wait_ms) }.put(&mut request.tags);
        let answer = to.call(&request, wait + to.request_timeout()).await?;
        Ok(answer.error_code)
    }

    fn beat(&self, sent: &Sent) -> HeartbeatRequest {
        HeartbeatRequest {
            group_id: self.group.as_str().into(),
            generation_id: sent.generation.0,
            member_id: sent.member.as_str().into(),
            group_instance_id: self.instance.clone(),
            ..HeartbeatRequest::default()
        }
    }

    /// A member with a lasting name leaves by that (KIP-345), or by its id where the coordinator is older than that.
    pub(super) async fn leave(&self, to: &Connection, sent: &Sent, how: Leaving) -> Result<ErrorCode, String> {
        let reason = match how {
            Leaving::Ends => "the application leaves",
            Leaving::Drains => "the application drains",
        };
        let member_id = Text::from(sent.member.as_str());
        let identity = MemberIdentity {
            member_id: member_id.clone(),
            group_instance_id: self.instance.clone(),
            reason: Some(Text::from(reason)),
        };
        let request = LeaveGroupRequest {
            group_id: self.group.as_str().into(),
            member_id,
            members: vec![identity],
            ..LeaveGroupRequest::default()
        };
        let answer = to.call(&request, to.request_timeout()).await?;
        let one = answer.members.first().map(|it| it.error_code).filter(|it| it.is_error());
        Ok(one.unwrap_or(answer.error_code))
    }
}

fn millis(duration: Duration) -> i32 {
    i32::try_from(duration.as_millis()).unwrap_or(i32::MAX)
}

fn join_answer(answer: JoinGroupResponse) -> JoinAnswer {
    let member = |it: &JoinGroupResponseMember| MemberInput {
        id: MemberId::from(it.member_id.as_str()),
        instance: it.group_instance_id.as_deref().map(InstanceId::from),
        metadata: it.metadata.clone(),
    };
    JoinAnswer {
        error: answer.error_code,
        generation: Generation(answer.generation_id),
        protocol: Protocol::from(answer.protocol_name.as_deref().unwrap_or_default()),
        leader: MemberId::from(answer.leader.as_str()),
        member: MemberId::from(answer.member_id.as_str()),
        members: answer.members.iter().map(member).collect(),
        skip_assignment: answer.skip_assignment,
        extras: extras(&answer.tags),
    }
}

/// Settings that this release cannot read are as good as none, and a plan then names no hash of settings.
fn extras(tags: &Tags) -> Option<JoinExtras> {
    let tag = JoinResponseTag::take(tags).ok().flatten()?;
    let read = serde_json::from_str::<Rules>(&tag.settings);
    Some(JoinExtras {
        rules: read.map_or_else(|_| Rules::default(), |rules| Rules { hash: tag.settings_hash, ..rules }),
        suspended: tag.suspended.into_iter().map(|(protocol, _, reason)| (protocol, reason)).collect(),
        memo: tag.memo,
    })
}

fn origin_tag(origin: &Origin) -> SyncRequestTag {
    SyncRequestTag {
        digest: origin.digest,
        settings_hash: origin.settings_hash,
        topics: origin.topics.clone(),
        copies: origin.copies,
        complete: origin.complete,
        mode: origin.mode,
        asked_ms: origin.asked_ms,
        memo: origin.memo.clone(),
        fault: origin.fault.as_ref().map(|fault| FaultTag {
            protocol: fault.protocol.clone(),
            digest: fault.digest,
            kind: fault.kind.name().to_owned(),
            message: fault.message.clone(),
        }),
        failed: origin.verdict == PlanOrError::Error,
    }
}
