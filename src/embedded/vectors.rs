//! Bytes that other clients write, in `tests/bytes`: read, and written alike.

use serde_json::Value;

use super::consumer::{Assignment, Subscription};
use super::sticky::{StickyData, encode_generation};

fn vectors() -> Vec<(String, Vec<u8>)> {
    let text = include_str!("../../tests/bytes/embedded.json");
    let vectors: Vec<Value> = serde_json::from_str(text).unwrap();
    let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
    let bytes =
        |hex: String| (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    vectors.iter().map(|it| (text(it, "name"), bytes(text(it, "hex")))).collect()
}

#[test]
fn subscriptions_and_assignments_are_read_and_written_alike() {
    for (name, bytes) in vectors() {
        if name.starts_with("subscription") {
            let read = Subscription::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            if !name.contains("cut short") {
                assert_eq!(read.encode(), bytes, "{name}");
            }
        } else if name.starts_with("assignment") {
            let read = Assignment::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(read.encode()[2..], bytes[2..], "{name}: all versions have one body");
        }
    }
}

#[test]
fn histories_are_read_and_written_alike() {
    let mut read = 0;
    for (name, bytes) in vectors().into_iter().filter(|(name, _)| name.contains("userData") && !name.starts_with("sub"))
    {
        if let Some(data) = bytes.strip_prefix(&[0, 1]).filter(|_| name.starts_with("assignment")) {
            let assignment = [&[0, 1], data].concat();
            let data = Assignment::decode(&assignment).unwrap();
            let history = StickyData::decode(data.user_data.unwrap()).unwrap();
            assert_eq!((history.generation, history.owned), (3, data.topics.clone().into()), "{name}");
            continue;
        }
        let data = StickyData::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let partitions: usize = data.owned.iter().map(|of| of.partitions.len()).sum();
        match (bytes.len(), name.contains("no generation"), name.contains("before the first")) {
            (4, _, false) => assert_eq!((encode_generation(data.generation), partitions), (bytes, 0), "{name}"),
            (4, _, true) => assert_eq!((data.generation, partitions), (-1, 0), "{name}"),
            (_, true, _) => assert_eq!((data.generation, partitions), (-1, 3), "{name}"),
            _ => assert_eq!((data.encode(), data.generation, partitions), (bytes, 3, 3), "{name}"),
        }
        read += 1;
    }
    assert_eq!(read, 5);
}
