//! DescribeGroups.

use bytes::Bytes;

use super::text;
use crate::group::{GroupDescription, MemberDescription, StateName};
use crate::ids::GroupId;
use crate::server::Handle;
use crate::wire::divvy::DescribeTag;
use crate::wire::messages::describe_groups::{DescribedGroup, DescribedGroupMember};
use crate::wire::messages::{DescribeGroupsRequest, DescribeGroupsResponse};
use crate::wire::{ErrorCode, Tags, Text};

/// The answer: an entry for each group asked for, in order.
pub(crate) async fn answer(request: DescribeGroupsRequest, version: i16, handle: Handle) -> DescribeGroupsResponse {
    let mut groups = Vec::with_capacity(request.groups.len());
    let mut tag = DescribeTag::take(&request.tags).ok().flatten().map(|_| DescribeTag::default());
    for id in &request.groups {
        let group = match handle.describe(&GroupId::from(id.as_str())).await {
            Err(_) => failed(ErrorCode::CoordinatorLoadInProgress, None),
            Ok(None) if version < 6 => failed(ErrorCode::None, None),
            Ok(None) => failed(ErrorCode::GroupIdNotFound, Some(format!("no group has the id {:?}", id.as_str()))),
            Ok(Some(group)) if group.summary.state == StateName::Initialize => {
                failed(ErrorCode::CoordinatorLoadInProgress, None)
            }
            Ok(Some(group)) => {
                if let Some(tag) = tag.as_mut().filter(|_| group.copies > 1) {
                    tag.copies.push((group.summary.id.clone(), group.copies));
                }
                described(group)
            }
        };
        groups.push(DescribedGroup { group_id: text(id.as_str()), ..group });
    }
    let mut tags = Tags::default();
    if let Some(tag) = tag {
        tag.put(&mut tags);
    }
    DescribeGroupsResponse { groups, tags, ..Default::default() }
}

fn failed(error_code: ErrorCode, message: Option<String>) -> DescribedGroup {
    DescribedGroup {
        error_code,
        error_message: message.map(Text::from),
        group_state: Text::from(StateName::Down.wire()),
        ..Default::default()
    }
}

/// The protocol and the members' metadata are told only of a generation that is in force.
fn described(group: GroupDescription) -> DescribedGroup {
    let stable = group.summary.state == StateName::Stable;
    let member = |it: MemberDescription| DescribedGroupMember {
        member_id: text(&it.id),
        group_instance_id: it.instance.as_ref().map(text),
        client_id: Text::from(it.client_id),
        client_host: Text::from(it.client_host),
        member_metadata: if stable { it.metadata } else { Bytes::new() },
        member_assignment: it.state,
    };
    DescribedGroup {
        group_state: Text::from(group.summary.state.wire()),
        protocol_type: group.summary.protocol_type.as_ref().map(text).unwrap_or_default(),
        protocol_data: group.summary.protocol.as_ref().filter(|_| stable).map(text).unwrap_or_default(),
        members: group.members.into_iter().map(member).collect(),
        ..Default::default()
    }
}
