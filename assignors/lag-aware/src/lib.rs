//! Evens out lag: who is behind is given less to do.

use divvy_guest::prelude::*;
use divvy_guest::strategy::loads::{self, Loads, Rules};
use divvy_guest::strategy::{even, pools::Pools};

assignor! {
    name: "lag-aware",
    offer: by_name,
    needs: [lag],
    config_schema: r#"{
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "scope": {
                "enum": ["group", "topic"],
                "default": "group",
                "description": "Whether the lag of all that a member has is evened out, or that of each topic by itself."
            },
            "max_count_skew": {
                "type": "integer",
                "minimum": 1,
                "description": "By how many partitions members that read the same may differ; without it lag alone decides."
            },
            "min_gain": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.1,
                "description": "How much above the best known plan the worst lag of a member may be before anything moves."
            }
        }
    }"#,
    description: "Partitions with much lag first, to the member with the least; few moves.",
    license: "Apache-2.0",
    assign: assign,
}

/// Partitions by lag, longest first; even shares when nobody knows any lag.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let rules = rules(group)?;
    let pools = Pools::of(group);
    let weights = vec![1.0; group.members().len()];
    let lag = group.column("lag").and_then(|column| Loads::of(column, group));
    if lag.is_none() {
        owners.note(Level::Debug, "no partition is known to have any lag: even shares");
    }
    match lag {
        Some(lag) => loads::give(group, &pools, &weights, lag, rules, owners),
        // Where the counts have a rule of their own it holds without lag too.
        None if rules.by_topic || rules.max_count_skew.is_some() => {
            loads::give(group, &pools, &weights, Loads::none(), rules, owners);
        }
        None => {
            even::give(group, &pools, &weights, owners);
        }
    }
    Ok(())
}

fn rules(group: &Group<'_>) -> Result<Rules, Refusal> {
    let config = group.config();
    config.only(&["scope", "max_count_skew", "min_gain"])?;
    let min_gain = match config.get("min_gain") {
        None => Rules::default().min_gain,
        Some(value) => match config.number("min_gain").filter(|gain| (0.0..=1.0).contains(gain)) {
            Some(gain) => gain,
            None => return Err(divvy_guest::bad_setting("min_gain", value, "write a number from 0 to 1")),
        },
    };
    let most = u64::from(divvy_guest::abi::MAX_PARTITIONS);
    let max_count_skew = config.whole("max_count_skew", 1, most)?.map(|skew| skew as u32);
    let by_topic = config.choice("scope", &["group", "topic"])? == Some(1);
    Ok(Rules { min_gain, max_count_skew, by_topic })
}
