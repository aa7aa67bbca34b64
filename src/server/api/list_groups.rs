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
        is_among(&request.states_filter, group.state.wire(), str::trim)
            && is_among(&request.types_filter, CLASSIC, |wanted| wanted)
    };
    let groups = groups.iter().filter(wanted).map(listed).collect();
    ListGroupsResponse { groups, ..Default::default() }
}

/// Without a filter everything is wanted; case does not count. Kafka reads a state without the blanks around it, but not
/// a type.
fn is_among(filter: &[Text], value: &str, read: fn(&str) -> &str) -> bool {
    filter.is_empty() || filter.iter().any(|wanted| read(wanted).eq_ignore_ascii_case(value))
}

fn listed(group: &GroupSummary) -> ListedGroup {
    ListedGroup {
        group_id: text(&group.id),
        protocol_type: group.protocol_type.as_ref().map(text).unwrap_or_default(),
        group_state: Text::from(group.state.wire()),
        group_type: Text::from(CLASSIC),
    }
}
