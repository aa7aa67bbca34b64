//! The calls that every module must survive before it serves.

use divvy_guest::abi::host::{Expected, parse_reply};
use divvy_guest::abi::request::{Partitions, States};

use crate::assignor::manifest::Shape;
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, smoke_requests};
use crate::sandbox::limits::{MAX_SMOKE_OUTPUT, SMOKE_DEADLINE};

/// Calls the strategy with the groups that the host makes up, and reads its replies. That it refuses a group in words is its right (it may
/// need a configuration); that it does not answer, or not in the form of the ABI, is a fault.
pub fn smoke(strategy: &dyn Assignor) -> Result<(), CallError> {
    let budget = Budget { deadline: SMOKE_DEADLINE, max_output: MAX_SMOKE_OUTPUT };
    for request in smoke_requests(strategy.manifest()) {
        let reply = strategy.call(Export::Assign, &request, budget)?;
        if let Some(expected) = expected(strategy.manifest().shape, &request) {
            parse_reply(&reply, expected).map_err(|malformed| {
                CallError::new(FaultKind::InvalidReply, format!("its reply cannot be read: {malformed}"))
            })?;
        }
    }
    Ok(())
}

/// What the reply to a request must be like; none for a request that is not of that shape.
fn expected(shape: Shape, request: &[u8]) -> Option<Expected> {
    match shape {
        Shape::Partitions => {
            let request = Partitions::read(request).ok()?;
            let partitions = usize::try_from(request.partitions).ok()?;
            Some(Expected::Partitions { members: request.members.len(), partitions })
        }
        Shape::States => Some(Expected::States { members: States::read(request).ok()?.members.len() }),
    }
}
