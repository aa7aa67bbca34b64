//! The conformance vectors of `tests/vectors` as groups for native tests; each assignor's `vectors.rs` includes this file. What is
//! held against what is the host's own code.

use std::collections::{BTreeMap, BTreeSet};

use divvy_guest::AssignPartitions;
use divvy_guest::testing::{Entry, TestGroup, TestMember};
use serde_json::{Value, from_value, json};

#[allow(dead_code, reason = "the host uses all of it")]
#[path = "../src/assignor/case/expectation.rs"]
mod expectation;
#[allow(dead_code, reason = "the host uses all of it")]
#[path = "../src/assignor/case/ground.rs"]
mod ground;
#[allow(dead_code, reason = "the host uses all of it")]
#[path = "../src/assignor/case/property.rs"]
mod property;

use expectation::Expectation;
use ground::{CaseMember, CaseTopic, Ground, Shares};

/// Every case of a file of vectors must give what it expects.
#[allow(dead_code, reason = "some strategies have a form of their own")]
pub fn holds(vectors: &str, assign: AssignPartitions) {
    run(vectors, |case| {
        let ground = ground(case);
        match case["expect_error"].as_str() {
            Some(code) => match group(&ground, &case["config"]).plan(assign) {
                Err(refused) if refused.code == code => Ok(()),
                outcome => Err(format!("expected the refusal {code:?}, got {outcome:?}")),
            },
            None => {
                let props = |key: &str| from_value(case[key].clone()).unwrap_or_default();
                let expectation = Expectation {
                    exact: from_value(case["expect"].clone()).ok(),
                    props: props("expect_props"),
                    last: from_value(case["expect_final"].clone()).ok(),
                    last_props: props("expect_final_props"),
                };
                expectation.check(&ground, |ground| plan(case, ground, &case["config"], assign))
            }
        }
    });
}

/// With `compat: kafka` every case but some must give what Kafka's strategy gives, where that is recorded.
#[allow(dead_code, reason = "only some strategies have a record of Kafka's answers")]
pub fn holds_as_kafka(vectors: &str, assign: AssignPartitions, but: &[&str]) {
    run(vectors, |case| {
        let recorded = |key: &str| from_value(case[key]["kafka-3.9"].clone()).ok();
        let expectation = match but.iter().any(|name| case["name"] == *name) {
            true => Expectation::default(),
            false => Expectation { exact: recorded("known"), last: recorded("known_final"), ..Default::default() },
        };
        let mut config = if case["config"].is_object() { case["config"].clone() } else { json!({}) };
        config["compat"] = json!("kafka");
        expectation.check(&ground(case), |ground| plan(case, ground, &config, assign))
    });
}

fn run(vectors: &str, check: impl Fn(&Value) -> Result<(), String>) {
    let cases: Vec<Value> = serde_json::from_str(vectors).expect("a list of cases");
    assert!(!cases.is_empty());
    let broken = |case: &Value| check(case).err().map(|broken| format!("{}: {broken}", case["name"]));
    let broken: Vec<String> = cases.iter().filter_map(broken).collect();
    assert!(broken.is_empty(), "{} of {} cases:\n{}", broken.len(), cases.len(), broken.join("\n"));
}

/// What the strategy gives and the host hands out.
fn plan(case: &Value, ground: &Ground, config: &Value, assign: AssignPartitions) -> Result<Shares, String> {
    let plan = group(ground, config).plan(assign).map_err(|refused| format!("refused: {refused:?}"))?;
    let signed = |numbers: Vec<u32>| numbers.into_iter().map(|number| number as i32).collect();
    let topics = |topics: BTreeMap<String, Vec<u32>>| topics.into_iter().map(|(name, of)| (name, signed(of))).collect();
    let mut shares: Shares = plan.members.into_iter().map(|(id, of)| (id, topics(of))).collect();
    if case["expect_final_props"].is_object() {
        withhold(ground, &mut shares);
    }
    Ok(shares)
}

/// As the host does under a cooperative name: what another may still be running is not given.
fn withhold(ground: &Ground, shares: &mut Shares) {
    let claims = ground.claims();
    for (id, topics) in shares {
        for (topic, numbers) in topics {
            numbers.retain(|number| {
                let claims = claims.get(&(topic.as_str(), *number)).map_or(&[][..], Vec::as_slice);
                let newest = claims.iter().map(|claim| claim.1).max();
                claims.iter().all(|claim| Some(claim.1) != newest || claim.0 == id)
            });
        }
    }
}

/// The group as the host shows it: claims are settled, topics that nobody reads are left out.
fn group(ground: &Ground, config: &Value) -> TestGroup {
    let mut group = TestGroup::new();
    let read: BTreeSet<&str> = ground.partitions().map(|(topic, _)| topic).collect();
    for (name, topic) in ground.topics.iter().filter(|(name, _)| read.contains(name.as_str())) {
        group = match &topic.racks {
            Some(racks) => group.topic_with_racks(name, racks.clone()),
            None => group.topic(name, topic.partitions),
        };
    }
    if ground.topics.values().any(|topic| topic.loads.is_some()) {
        let load = |(topic, number): (&str, i32)| {
            ground.topics[topic].loads.as_ref().map_or(0, |loads| loads[number as usize]).to_le_bytes()
        };
        let mut spots: Vec<_> = ground.partitions().collect();
        spots.sort_unstable();
        let loads: Vec<u8> = spots.into_iter().flat_map(load).collect();
        group = group.column("loads", loads.clone()).column("lag", loads);
    }
    if config["copies"].is_number() {
        group = group.copies();
    }
    for (name, value) in config.as_object().into_iter().flatten() {
        group = group.config(name, entry(value));
    }
    let last = ground.last_owners();
    for member in &ground.members {
        let mut one = TestMember::new(&member.id).reads(&member.topics).rack(member.rack().unwrap_or_default());
        if let Some(instance_id) = &member.instance_id {
            one = one.instance_id(instance_id);
        }
        if let Some(weight) = member.weight.as_ref().and_then(Value::as_f64) {
            one = one.fact("weight", weight);
        }
        for (topic, numbers) in member.owned.iter().filter(|(topic, _)| member.reads(topic)) {
            let counts = |number: &&i32| {
                config["copies"].is_number() || last.get(&(topic.as_str(), **number)) == Some(&member.id.as_str())
            };
            one = one.owned(topic, numbers.iter().filter(counts).map(|number| *number as u32));
        }
        group = group.member(one);
    }
    group
}

fn ground(case: &Value) -> Ground {
    let topic = |(name, topic): (&String, &Value)| {
        let partitions = topic["partitions"].as_u64().expect("a partition count") as u32;
        let racks = from_value(topic["racks"].clone()).ok();
        let loads = from_value(topic["loads"].clone()).ok();
        (name.clone(), CaseTopic { partitions, racks, loads, is_connector: false })
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let member = |member: &Value| CaseMember {
        id: text(&member["id"]).expect("an id"),
        instance_id: text(&member["instance_id"]),
        rack: text(&member["rack"]),
        topics: from_value(member["topics"].clone()).expect("topics"),
        owned: from_value(member["owned"].clone()).unwrap_or_default(),
        generation: member["generation"].as_i64().unwrap_or(-1) as i32,
        weight: Some(member["weight"].clone()).filter(Value::is_number),
    };
    Ground {
        topics: case["topics"].as_object().expect("topics").iter().map(topic).collect(),
        members: case["members"].as_array().expect("members").iter().map(member).collect(),
    }
}

fn entry(value: &Value) -> Entry {
    match value {
        Value::String(text) => Entry::Text(text.clone()),
        Value::Bool(flag) => Entry::Flag(*flag),
        Value::Number(number) => Entry::Number(number.as_f64().expect("a number")),
        Value::Array(list) => Entry::List(list.iter().map(entry).collect()),
        Value::Object(map) => Entry::Map(map.iter().map(|(name, value)| (name.clone(), entry(value))).collect()),
        Value::Null => panic!("a setting without a value"),
    }
}
