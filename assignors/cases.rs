//! The conformance vectors of `tests/vectors` as groups for native tests; each assignor's `vectors.rs` includes this file.

use std::collections::BTreeMap;

use divvy_guest::AssignPartitions;
use divvy_guest::testing::{Entry, TestGroup, TestMember};
use serde_json::Value;

type Plan = BTreeMap<String, BTreeMap<String, Vec<u32>>>;

/// Every case of a file of vectors must give exactly what it expects: a plan, or the code of a refusal.
pub fn holds(vectors: &str, assign: AssignPartitions) {
    let cases: Vec<Value> = serde_json::from_str(vectors).expect("a list of cases");
    assert!(!cases.is_empty());
    for case in &cases {
        let name = case["name"].as_str().expect("a name");
        if let Some(code) = case["expect_error"].as_str() {
            let refused = group(case).plan(assign).expect_err(name);
            assert_eq!(refused.code, code, "case {name}: {}", refused.message);
            continue;
        }
        let mut expected: Plan = serde_json::from_value(case["expect"].clone()).expect("an exact expectation");
        expected.values_mut().for_each(|topics| topics.retain(|_, partitions| !partitions.is_empty()));
        let plan = group(case).plan(assign).expect("a plan");
        assert_eq!(plan.members, expected, "case {name}");
    }
}

fn group(case: &Value) -> TestGroup {
    let mut group = TestGroup::new();
    for (name, topic) in case["topics"].as_object().expect("topics") {
        let partitions = topic["partitions"].as_u64().expect("a partition count") as u32;
        group = match topic["racks"].as_array() {
            Some(racks) => group.topic_with_racks(name, racks.iter().map(texts).collect()),
            None => group.topic(name, partitions),
        };
    }
    let many_claims = case["config"]["copies"].is_number();
    if many_claims {
        group = group.claim_layers(8);
    }
    let members = case["members"].as_array().expect("members");
    for member in members {
        let mut one = TestMember::new(member["id"].as_str().expect("an id")).reads(texts(&member["topics"]));
        if let Some(instance_id) = member["instance_id"].as_str() {
            one = one.instance_id(instance_id);
        }
        if let Some(rack) = member["rack"].as_str() {
            one = one.rack(rack);
        }
        // Claims are the host's to resolve: only those count that it would pass on.
        let generation = |member: &Value| member["generation"].as_i64().unwrap_or(-1);
        for (topic, partitions) in member["owned"].as_object().into_iter().flatten() {
            let counts = |partition: &u64| {
                let claimed = |other: &&Value| {
                    let owned = other["owned"][topic].as_array();
                    owned.is_some_and(|owned| owned.iter().any(|owned| owned.as_u64() == Some(*partition)))
                };
                let others = members.iter().filter(|other| other["id"] != member["id"]).filter(claimed);
                many_claims || others.map(generation).all(|other| other < generation(member))
            };
            let partitions = partitions.as_array().expect("a list").iter().filter_map(Value::as_u64);
            one = one.owned(topic, partitions.filter(counts).map(|partition| partition as u32));
        }
        group = group.member(one);
    }
    let config = case["config"].as_object().into_iter().flatten();
    config.fold(group, |group, (name, value)| group.config(name, entry(value)))
}

fn entry(value: &Value) -> Entry {
    match value {
        Value::Bool(flag) => Entry::Flag(*flag),
        Value::Number(number) => Entry::Number(number.as_f64().expect("a number")),
        Value::String(text) => Entry::Text(text.clone()),
        Value::Array(list) => Entry::List(list.iter().map(entry).collect()),
        Value::Object(map) => Entry::Map(map.iter().map(|(name, value)| (name.clone(), entry(value))).collect()),
        Value::Null => panic!("a setting that is null"),
    }
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}
