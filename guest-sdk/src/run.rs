//! From a request's bytes to a reply's: what the exports of a module do, and what native tests call.

use crate::abi::reply;
use crate::abi::request::{Check, Partitions, States as StatesRequest, UserData};
use crate::{Group, Me, Owners, Refusal, StateGroup, States};

/// A strategy of shape `partitions`.
pub type AssignPartitions = fn(&Group<'_>, &mut Owners) -> Result<(), Refusal>;

/// A strategy of shape `states`.
pub type AssignStates = fn(&StateGroup<'_>, &mut States) -> Result<(), Refusal>;

/// What a member adds to its metadata.
pub type MakeUserData = fn(&Me<'_>) -> Result<Option<Vec<u8>>, Refusal>;

/// Judges the states of a plan, one for each member by index.
pub type CheckStates = fn(&StateGroup<'_>, &[&[u8]]) -> Result<(), Refusal>;

/// Runs a strategy of shape `partitions`.
pub fn partitions(assign: AssignPartitions, request: &[u8]) -> Vec<u8> {
    let group = match Partitions::read(request) {
        Ok(read) => Group::new(read),
        Err(malformed) => return refused(&malformed.into()),
    };
    let mut owners = match Owners::new(&group) {
        Ok(owners) => owners,
        Err(refusal) => return refused(&refusal),
    };
    match assign(&group, &mut owners) {
        Ok(()) => owners.into_reply(),
        Err(refusal) => reply::refused(refusal.as_refused(), &owners.into_diag()),
    }
}

/// Runs a strategy of shape `states`.
pub fn states(assign: AssignStates, request: &[u8]) -> Vec<u8> {
    let group = match StatesRequest::read(request) {
        Ok(read) => StateGroup::new(read),
        Err(malformed) => return refused(&malformed.into()),
    };
    let mut states = States::new(&group);
    match assign(&group, &mut states) {
        Ok(()) => states.into_reply(),
        Err(refusal) => reply::refused(refusal.as_refused(), &states.into_diag()),
    }
}

/// Makes user data.
pub fn user_data(make: MakeUserData, request: &[u8]) -> Vec<u8> {
    match UserData::read(request).map_err(Refusal::from).and_then(|read| make(&Me::new(read))) {
        Ok(data) => reply::user_data(data.as_deref()),
        Err(refusal) => refused(&refusal),
    }
}

/// Judges a plan.
pub fn check(judge: CheckStates, request: &[u8]) -> Vec<u8> {
    let judged = Check::read(request).map_err(Refusal::from);
    match judged.and_then(|read| judge(&StateGroup::new(read.request), &read.states)) {
        Ok(()) => reply::checked(),
        Err(refusal) => refused(&refusal),
    }
}

fn refused(refusal: &Refusal) -> Vec<u8> {
    reply::refused(refusal.as_refused(), &[])
}
