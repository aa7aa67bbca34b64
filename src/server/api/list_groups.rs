//! ListGroups: all groups, by state from v4 on and by type from v5 on.

use super::text;
use crate::group::GroupSummary;
use crate::server::Handle;
use crate::wire::messages::list_groups::ListedGroup;
use crate::wire::messages::{ListGroupsRequest, ListGroupsResponse};
use crate::wire::{ErrorCode, Text};

/// The type of every group that divvy has (KIP-848's name for it).
const CLASSIC: &str = "classic";

/// The answer.
pub(crate) async fn answer(request: ListGroupsRequest, handle: Handle) -> ListGroupsResponse {
    let Ok(groups) = handle.list().await else {
        return ListGroupsResponse { error_code: ErrorCode::CoordinatorLoadInProgress, ..Default::default() };
    };
    let wanted = |group: &&GroupSummary| {
        passes(&request.states_filter, group.state.wire()) && passes(&request.types_filter, CLASSIC)
    };
    let groups = groups.iter().filter(wanted).map(listed).collect();
    ListGroupsResponse { groups, ..Default::default() }
}

/// An empty filter lets everything pass; case does not count.
fn passes(filter: &[Text], value: &str) -> bool {
    filter.is_empty() || filter.iter().any(|wanted| wanted.trim().eq_ignore_ascii_case(value))
}

fn listed(group: &GroupSummary) -> ListedGroup {
    ListedGroup {
        group_id: text(&group.id),
        protocol_type: group.protocol_type.as_ref().map(text).unwrap_or_default(),
        group_state: Text::from(group.state.wire()),
        group_type: Text::from(CLASSIC),
    }
}
