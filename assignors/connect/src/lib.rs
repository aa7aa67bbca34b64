//! x
#![allow(missing_docs)]
use divvy_guest::prelude::*;
assignor! { name: "connect", protocol_type: "connect", shape: states, offer: by_name, assign: assign }
pub fn assign(_: &StateGroup<'_>, _: &mut States) -> Result<(), Refusal> {
    Ok(())
}
