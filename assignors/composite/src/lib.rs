//! x
#![allow(missing_docs)]
use divvy_guest::prelude::*;
assignor! { name: "composite", offer: by_name, assign: assign }
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    divvy_guest::strategy::range::assign(group, owners);
    Ok(())
}
