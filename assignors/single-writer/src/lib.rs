//! One writer: for a whole group, or for each topic. Whoever writes goes on; staying outranks evenness.

use divvy_guest::abi::msgpack::Writer;
use divvy_guest::prelude::*;
use divvy_guest::strategy::single_writer::{give_all, give_each};

assignor! {
    name: "single-writer",
    offer: by_name,
    config_schema: r#"{"type":"object","additionalProperties":false,"properties":{"scope":{"enum":["group","topic"],"default":"group","description":"group: one member has all partitions; topic: each topic has one member."}}}"#,
    description: "Gives everything, or each topic, to one member for as long as it stays; the generation is its fencing token.",
    license: "Apache-2.0",
    assign: assign,
}

/// The first item of the user data. Later versions only append.
const VERSION: u64 = 1;

/// Everybody is told the epoch, so that a writer can fence with it whatever it has.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let config = group.config();
    config.only(&["scope"])?;
    match config.choice("scope", &["group", "topic"])? {
        Some(1) => give_each(group, group.topics(), owners),
        _ => give_all(group, owners)?,
    }
    let mut epoch = Vec::new();
    let mut to = Writer::new(&mut epoch);
    to.array(2);
    to.unsigned(VERSION);
    to.signed(i64::from(group.generation()));
    group.members().for_each(|member| owners.user_data(member, epoch.clone()));
    Ok(())
}
