//! What members had before a generation, as they said it themselves: against it one sees what a plan moves.

use bytes::Bytes;

use crate::assignor::lead::view_of;
use crate::assignor::{LeaderInput, request};
use crate::embedded::consumer::Assignment;
use crate::ids::MemberId;

/// The last share of each member that says one. Only the latest generation counts: what is older somebody else has had since.
pub fn had(input: &LeaderInput<'_>) -> Vec<(MemberId, Bytes)> {
    let Ok(view) = view_of(input) else { return Vec::new() };
    let claims = || view.members.iter().map(|member| (member.id, request::claim_of(member, input.protocol)));
    let latest = claims().filter(|(_, claim)| !claim.owned.is_empty()).map(|(_, claim)| claim.generation).max();
    claims()
        .filter(|(_, claim)| Some(claim.generation) == latest && !claim.owned.is_empty())
        .map(|(id, claim)| {
            let assignment = Assignment { topics: claim.owned.iter().collect(), user_data: None };
            (id.clone(), Bytes::from(assignment.encode()))
        })
        .collect()
}
