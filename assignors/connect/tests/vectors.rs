//! The conformance vectors: eager ones in one round, incremental ones in as many as they have.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

mod workers;

use workers::{Cluster, Piece};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../tests/vectors/connect.json")).expect("a list of cases")
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

fn counts(map: &Value) -> BTreeMap<String, u32> {
    let count = |(name, tasks): (&String, &Value)| (name.clone(), tasks.as_u64().expect("a number") as u32);
    map.as_object().into_iter().flatten().map(count).collect()
}

fn shares(map: &Value) -> BTreeMap<String, BTreeSet<Piece>> {
    let pieces = |of: &Value| {
        let of: BTreeMap<String, Vec<i32>> = serde_json::from_value(of.clone()).expect("tasks by connector");
        of.into_iter().flat_map(|(name, tasks)| tasks.into_iter().map(move |task| (name.clone(), task))).collect()
    };
    map.as_object().into_iter().flatten().map(|(id, of)| (id.clone(), pieces(of))).collect()
}

#[test]
fn every_eager_vector_holds() {
    let eager = cases().into_iter().filter(|case| case["mode"] == "eager");
    let mut run = 0;
    for case in eager {
        let topics = case["topics"].as_object().expect("connectors");
        let mut cluster = Cluster { protocol: "default", ..Cluster::new(0) };
        cluster.connectors =
            topics.iter().map(|(name, it)| (name.clone(), it["partitions"].as_u64().expect("tasks") as u32)).collect();
        for member in case["members"].as_array().expect("members") {
            cluster.workers.insert(member["id"].as_str().expect("an id").to_owned(), BTreeSet::new());
        }
        cluster.round();
        assert_eq!(cluster.workers, shares(&case["expect"]), "{}", case["name"]);
        run += 1;
    }
    assert_eq!(run, 5);
}

#[test]
fn every_incremental_vector_holds() {
    let incremental = cases().into_iter().filter(|case| case["mode"] == "incremental");
    let mut run = 0;
    for case in incremental {
        let mut cluster = Cluster::new(case["config"]["max_delay_ms"].as_i64().expect("a delay"));
        cluster.connectors = counts(&case["connectors"]);
        let mut delay_ms = 0;
        for (at, round) in case["rounds"].as_array().expect("rounds").iter().enumerate() {
            let context = format!("{}, round {}", case["name"], at + 1);
            cluster.now_ms += round["advance_ms"].as_i64().unwrap_or(0);
            if let Some(part) = round["advance_delay"].as_f64() {
                cluster.now_ms += (delay_ms as f64 * part) as i64 + round["advance_extra_ms"].as_i64().unwrap_or(0);
            }
            cluster.connectors.extend(counts(&round["add_connectors"]));
            texts(&round["remove_connectors"]).iter().for_each(|name| _ = cluster.connectors.remove(name));
            texts(&round["leave"]).iter().for_each(|id| drop(cluster.workers.remove(id)));
            texts(&round["join"]).into_iter().for_each(|id| drop(cluster.workers.insert(id, BTreeSet::new())));
            cluster.workers.extend(shares(&round["join_with"]));
            let outcome = cluster.round();
            delay_ms = outcome.delay_ms;
            let expect = &round["expect"];
            for (key, connectors) in [("connector_alloc", true), ("task_alloc", false)] {
                if let Some(sizes) = expect[key].as_array() {
                    let mut sizes: Vec<usize> = sizes.iter().map(|it| it.as_u64().expect("a size") as usize).collect();
                    sizes.sort_unstable();
                    assert_eq!(cluster.sizes(connectors), sizes, "{context}: {key}");
                }
            }
            match &expect["delay"] {
                Value::Number(delay) => assert_eq!(Some(delay_ms), delay.as_i64(), "{context}: delay"),
                Value::Null => {}
                _ => assert!(delay_ms > 0, "{context}: no delay"),
            }
            for (key, changes) in [("revocations", &outcome.revoked), ("assignments", &outcome.added)] {
                if let Some(any) = expect[key].as_bool() {
                    assert_eq!(changes.values().any(|of| !of.is_empty()), any, "{context}: {key}: {changes:?}");
                }
            }
            if expect["complete"] == true {
                assert!(cluster.is_complete(), "{context}: {:?}", cluster.workers);
            }
            run += 1;
        }
    }
    assert!(run >= 30, "only {run} rounds were run");
}
