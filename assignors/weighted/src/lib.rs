//! Shares in proportion to what members can bear, which they tell as a fact.

use divvy_guest::prelude::*;
use divvy_guest::strategy::loads::{self, Loads, Rules};
use divvy_guest::strategy::{even, pools::Pools};

assignor! {
    name: "weighted",
    offer: by_name,
    needs: [loads],
    config_schema: r#"{
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "fact": {
                "type": "string",
                "default": "weight",
                "description": "The fact of each member that says what it can bear beside others: a number from 0."
            },
            "min_gain": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "default": 0.1,
                "description": "With loads: how much above the best known plan the worst load may be before anything moves."
            }
        }
    }"#,
    description: "Shares by weight; a member of weight 0 is drained.",
    license: "Apache-2.0",
    assign: assign,
}

/// Weights beyond these are taken as these: what is compared stays exact.
const LEAST: f64 = 1e-6;
const MOST: f64 = 1e12;

/// Shares by weight, of partitions or of what they carry.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let config = group.config();
    config.only(&["fact", "min_gain"])?;
    let fact = match config.get("fact") {
        None => "weight",
        Some(value) => match config.text("fact").filter(|fact| !fact.is_empty()) {
            Some(fact) => fact,
            None => {
                return Err(divvy_guest::bad_setting("fact", value, "write the name of a fact, such as \"weight\""));
            }
        },
    };
    let min_gain = match config.get("min_gain") {
        None => Rules::default().min_gain,
        Some(value) => match config.number("min_gain").filter(|gain| (0.0..=1.0).contains(gain)) {
            Some(gain) => gain,
            None => return Err(divvy_guest::bad_setting("min_gain", value, "write a number from 0 to 1")),
        },
    };
    let weights: Vec<f64> = group.members().map(|member| weight(member, fact, owners)).collect();
    let pools = Pools::of(group);
    match group.column("loads").and_then(|column| Loads::of(column, group)) {
        Some(loads) => loads::give(group, &pools, &weights, loads, Rules { min_gain, ..Rules::default() }, owners),
        None if !even::give(group, &pools, &weights, owners).is_settled => {
            owners.note(Level::Info, "the balance may still be improved: there was too much to even out for one plan");
        }
        None => {}
    }
    Ok(())
}

/// What a member says. One that says nothing is as good as others; what makes no sense is told, and stops nobody.
fn weight(member: Member<'_>, fact: &str, owners: &mut Owners) -> f64 {
    if member.facts().get(fact).is_none() {
        return 1.0;
    }
    match member.facts().number(fact).filter(|weight| *weight >= 0.0 && weight.is_finite()) {
        Some(0.0) => 0.0,
        Some(weight) => weight.clamp(LEAST, MOST),
        None => {
            let mut text = String::from("the fact \"");
            text.push_str(fact);
            text.push_str("\" of member \"");
            text.push_str(member.id());
            text.push_str("\" is not a number from 0: it counts as 1 until the member tells another");
            owners.note(Level::Warn, &text);
            1.0
        }
    }
}
