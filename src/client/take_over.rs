//! Taking the lead of a running group (DESIGN 9): everybody in it is removed, as an admin would, and a JoinGroup of one's own
//! follows on the same connection before that is answered. A broker takes the requests of a connection in order, so nobody
//! else can be first: the others find out with their next heartbeat, and join behind.

use super::calls::Caller;
use crate::membership::event::{JoinAnswer, JoinCall, Sent};
use crate::peer::Connection;
use crate::wire::messages::describe_groups::DescribeGroupsRequest;
use crate::wire::messages::leave_group::{LeaveGroupRequest, MemberIdentity};
use crate::wire::{ErrorCode, Text};

/// For the log of the coordinator (KIP-800).
const REASON: &str = "divvy takes the lead of the group";

impl Caller {
    /// Joins as the first of the group: those who are in it are removed before.
    pub(super) async fn take_over(&self, to: &Connection, sent: &Sent, call: &JoinCall) -> Result<JoinAnswer, String> {
        let group = Text::from(self.group.as_str());
        let request = DescribeGroupsRequest { groups: vec![group.clone()], ..DescribeGroupsRequest::default() };
        let answer = to.call(&request, to.request_timeout()).await?;
        let described = answer.groups.into_iter().next().ok_or("the coordinator does not describe the group")?;
        // A group that is not there has nobody to remove. Any other refusal is the member's to take like one of JoinGroup.
        match described.error_code {
            ErrorCode::None | ErrorCode::GroupIdNotFound => {}
            error => return Ok(JoinAnswer::refused(error)),
        }
        let members: Vec<MemberIdentity> = described
            .members
            .into_iter()
            .map(|it| MemberIdentity {
                member_id: it.member_id,
                group_instance_id: it.group_instance_id,
                reason: Some(REASON.into()),
            })
            .collect();
        if members.is_empty() {
            return self.join(to, sent, call).await;
        }
        let remove = LeaveGroupRequest { group_id: group, members, ..LeaveGroupRequest::default() };
        // Both are written before either is answered, in this order: `join!` begins with the first.
        let (removed, joined) = tokio::join!(biased; to.call(&remove, self.parked), self.join(to, sent, call));
        let removed = removed?;
        if removed.error_code.is_error() {
            tracing::warn!(error = %removed.error_code, "the others could not be removed");
        }
        joined
    }
}
