//! Several copies of each partition, on distinct members and racks, one of them the primary.

mod copies;
mod fewest;
mod memo;
mod pools;
mod primaries;
mod spread;
mod told;

use divvy_guest::prelude::*;

use copies::Copies;

assignor! {
    name: "redundant",
    copies: many,
    offer: by_name,
    config_schema: r#"{"type":"object","additionalProperties":false,"properties":{"copies":{"type":"integer","minimum":1,"maximum":8,"default":2,"description":"How many members have each partition; fewer when fewer read the topic."}}}"#,
    description: "Gives each partition to several members, in distinct racks while possible; the first copy is the primary.",
    license: "Apache-2.0",
    assign: assign,
}

/// As many as claims have layers: of more copies nobody would know who has them.
const MAX_COPIES: u64 = divvy_guest::abi::MAX_CLAIM_LAYERS as u64;

/// Keeps what is there, adds what is missing, evens out with as few moves as can be; then says who is the primary.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let config = group.config();
    config.only(&["copies"])?;
    let copies = config.whole("copies", 1, MAX_COPIES)?.unwrap_or(2) as u16;
    owners.set_copies(copies)?;
    let mut held = Copies::of(group, usize::from(copies));
    pools::fill(group, &mut held);
    spread::even_out(group, &mut held);
    fewest::settle(group, &mut held);
    primaries::choose(group, &mut held);
    for partition in group.partitions() {
        owners.give_copies(partition, held.holders(partition.index()));
    }
    told::tell(group, &held, owners);
    if let Some(memo) = memo::write(group, &held) {
        owners.remember(memo);
    }
    Ok(())
}
