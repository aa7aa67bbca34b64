//! Co-partitioning: the partitions of one number of joined topics go to one member, or there is no plan.

use divvy_guest::prelude::*;
use divvy_guest::strategy::copartition::{Copartition, JoinSet, form_of, join_of};

assignor! {
    name: "copartition",
    offer: by_name,
    config_schema: r#"{"type":"object","additionalProperties":false,"properties":{"join":{"type":"array","items":{"type":"array","items":{"type":"string"},"minItems":1},"description":"Sets of topics that are joined: partition i of all topics of a set goes to one member."},"form":{"enum":["sticky","range"],"default":"sticky","description":"sticky keeps bundles where they are, range gives each member one run of them."}}}"#,
    description: "Gives partition i of all topics of a join set to one member, and refuses sets that cannot be joined.",
    license: "Apache-2.0",
    assign: assign,
}

/// One join set after another; what a member has of the sets before counts where a set leaves a choice.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let config = group.config();
    config.only(&["join", "form"])?;
    let join = join_of(&config)?.unwrap_or_default();
    if join.iter().any(Vec::is_empty) {
        return Err(Refusal::new("bad_config", "config: join has an empty set: name its topics, or leave it out"));
    }
    let mut shares = Copartition::new(group, form_of(&config)?);
    for set in JoinSet::of(group.topics(), &join)? {
        shares.give(&set, owners)?;
    }
    Ok(())
}
