//! DeleteGroups: each group answers for itself.

use super::text;
use crate::group::Reply;
use crate::ids::GroupId;
use crate::wire::ErrorCode;
use crate::wire::messages::delete_groups::DeletableGroupResult;
use crate::wire::messages::{DeleteGroupsRequest, DeleteGroupsResponse};

/// The groups named, each once and in order.
pub(crate) struct Asked(Vec<GroupId>);

impl Asked {
    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|id| size_of::<GroupId>() + id.as_str().len()).sum()
    }
}

/// The groups to ask.
pub(crate) fn ask(request: &DeleteGroupsRequest) -> (Asked, Vec<GroupId>) {
    let mut seen = std::collections::HashSet::new();
    let once = request.groups_names.iter().filter(|name| seen.insert(name.as_str()));
    let groups: Vec<GroupId> = once.map(|name| GroupId::from(name.as_str())).collect();
    (Asked(groups.clone()), groups)
}

/// The answer, made of each group's reply in order.
pub(crate) fn answer(asked: &Asked, replies: &[Reply]) -> DeleteGroupsResponse {
    let mut replies = replies.iter();
    let mut result = |id: &GroupId| {
        let error_code = match replies.next() {
            Some(Reply::DeleteGroup(error)) => *error,
            _ => ErrorCode::UnknownServerError,
        };
        DeletableGroupResult { group_id: text(id), error_code }
    };
    DeleteGroupsResponse { results: asked.0.iter().map(&mut result).collect(), ..Default::default() }
}
