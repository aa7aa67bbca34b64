//! The conformance vectors of `tests/vectors` as groups for native tests; each assignor's `vectors.rs` includes this file.

use std::collections::BTreeMap;

use divvy_guest::AssignPartitions;
use divvy_guest::testing::{TestGroup, TestMember};
use serde_json::Value;

type Plan = BTreeMap<String, BTreeMap<String, Vec<u32>>>;

/// Every case of a file of vectors must give exactly what it expects.
pub fn holds(vectors: &str, assign: AssignPartitions) {
    let cases: Vec<Value> = serde_json::from_str(vectors).expect("a list of cases");
    assert!(!cases.is_empty());
    for case in &cases {
        let name = case["name"].as_str().expect("a name");
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
    for member in case["members"].as_array().expect("members") {
        let mut one = TestMember::new(member["id"].as_str().expect("an id")).reads(texts(&member["topics"]));
        if let Some(instance_id) = member["instance_id"].as_str() {
            one = one.instance_id(instance_id);
        }
        if let Some(rack) = member["rack"].as_str() {
            one = one.rack(rack);
        }
        group = group.member(one);
    }
    group
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}
