//! Different strategies for different topics of one group, in one plan.

mod parts;

use divvy_guest::prelude::*;
use divvy_guest::strategy::copartition::{Copartition, JoinSet};
use divvy_guest::strategy::sticky::Sticky;
use divvy_guest::strategy::{range, round_robin, single_writer};

use parts::{Part, Strategy};

assignor! {
    name: "composite",
    offer: by_name,
    config_schema: r#"{"type":"object","additionalProperties":false,"required":["parts"],"properties":{"parts":{"type":"array","minItems":1,"maxItems":64,"items":{"type":"object","required":["topics","strategy"],"additionalProperties":false,"properties":{"topics":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":64,"description":"Names; * stands for any characters. A topic belongs to the first part that names it."},"strategy":{"enum":["range","roundrobin","copartition","single-writer","sticky"]},"join":{"type":"array","items":{"type":"array","items":{"type":"string"}},"description":"copartition: sets of topics that are joined; without it all topics of the part are one."},"form":{"enum":["sticky","range"],"default":"sticky","description":"copartition."}}}}}}"#,
    description: "Plans some topics by one strategy and others by another.",
    license: "Apache-2.0",
    assign: assign,
}

/// Part after part; what members have by then counts where a strategy leaves a choice.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let parts = Part::all(group)?;
    let mut loads = vec![0_u32; group.members().len()];
    for (at, part) in parts.iter().enumerate() {
        give(group, part, &loads, owners).map_err(|refusal| parts::within(at, &refusal))?;
        if at + 1 < parts.len() {
            let partitions = part.topics.iter().flat_map(|topic| topic.partitions());
            partitions.filter_map(|partition| owners.owner(partition)).for_each(|owner| loads[owner] += 1);
        }
    }
    Ok(())
}

fn give(group: &Group<'_>, part: &Part<'_>, loads: &[u32], owners: &mut Owners) -> Result<(), Refusal> {
    let topics = || part.topics.iter().copied();
    match &part.strategy {
        Strategy::Range => topics().for_each(|topic| range::give(topic, &topic.subscribers(), owners)),
        Strategy::RoundRobin => round_robin::ByLoad::new(group, loads).deal_all(topics(), owners),
        Strategy::Sticky => return Sticky::new(group).topics(topics()).plan(owners),
        Strategy::SingleWriter => single_writer::give_each(group, topics(), owners),
        Strategy::Copartition { join, form } => {
            let mut shares = Copartition::new(group, *form).with_loads(loads.to_vec());
            for set in JoinSet::of(topics(), join)? {
                shares.give(&set, owners)?;
            }
        }
    }
    Ok(())
}
