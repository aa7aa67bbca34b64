//! Uniform, the default of Kafka's newer group protocol (KIP-848), for groups of any client: even shares, few moves.

mod kafka;
mod spread;

use divvy_guest::prelude::*;
use divvy_guest::strategy::even;
use divvy_guest::strategy::pools::Pools;

assignor! {
    name: "uniform",
    offer: by_name,
    config_schema: r#"{
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "spread": {
                "type": "boolean",
                "default": false,
                "description": "Of each topic, readers differ by at most one partition; that comes before even sizes."
            },
            "compat": {
                "enum": ["kafka"],
                "description": "Plan as Kafka 3.9 does, where its answer does not depend on chance."
            }
        }
    }"#,
    description: "Even shares with few moves; on request every topic evenly spread.",
    license: "Apache-2.0",
    assign: assign,
}

/// Even shares, by size or by topic.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let config = group.config();
    config.only(&["spread", "compat"])?;
    let spreads = match config.get("spread") {
        None => false,
        Some(value) => match config.flag("spread") {
            Some(spreads) => spreads,
            None => return Err(divvy_guest::bad_setting("spread", value, "write true or false")),
        },
    };
    let is_kafka = config.choice("compat", &["kafka"])?.is_some();
    if spreads && is_kafka {
        return Err(Refusal::new(
            "bad_config",
            "config: spread is true and compat is \"kafka\": Kafka's uniform does not spread topics, leave one of them out",
        ));
    }
    let pools = Pools::of(group);
    let is_settled = match (spreads, is_kafka) {
        (true, _) => spread::give(group, &pools, owners),
        (_, true) => {
            kafka::give(group, &pools, owners);
            true
        }
        _ => even::give(group, &pools, &vec![1.0; group.members().len()], owners).is_settled,
    };
    if !is_settled {
        owners.note(Level::Info, "the balance may still be improved: there was too much to even out for one plan");
    }
    Ok(())
}
