//! The calls that every module must survive before it serves.

use crate::assignor::{Assignor, Budget, CallError, Export};
use crate::sandbox::limits::{MAX_SMOKE_OUTPUT, SMOKE_DEADLINE};

/// Calls the strategy with each request. That it refuses one in words is its right (it may need a configuration);
/// that it does not answer is a fault.
pub(super) fn smoke(strategy: &dyn Assignor, requests: &[Vec<u8>]) -> Result<(), CallError> {
    let budget = Budget { deadline: SMOKE_DEADLINE, max_output: MAX_SMOKE_OUTPUT };
    for request in requests {
        strategy.call(Export::Assign, request, budget)?;
    }
    Ok(())
}
