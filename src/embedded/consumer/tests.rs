//! Subscriptions and assignments in every version; cut short and garbled.

use proptest::prelude::*;

use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn of<'a>(topic: &'a str, partitions: &[i32]) -> TopicPartitions<'a> {
    TopicPartitions { topic, partitions: partitions.iter().copied().collect() }
}

/// Bytes as other clients write them (checked with franz-go's kmsg).
#[test]
fn other_clients_bytes_are_read_and_written_alike() {
    let v0 = bytes("0000000000020003616e740003626565ffffffff");
    let read = Subscription::decode(&v0).unwrap();
    assert_eq!(read, Subscription { version: 0, topics: vec!["ant", "bee"], tail: Tail::default() });
    assert_eq!(read.encode(), v0);

    let v3 = bytes(
        "0003000000020003616e740003626565ffffffff000000020003616e7400000002000000000000000200036265650000000100000001000000030003617a31",
    );
    let read = Subscription::decode(&v3).unwrap();
    assert_eq!(read.tail.owned, vec![of("ant", &[0, 2]), of("bee", &[1])].into());
    assert_eq!((read.tail.generation, read.tail.rack), (3, Some("az1")));
    assert_eq!(read.encode(), v3);

    let plan = bytes("0000000000020003616e7400000002000000000000000200036265650000000100000001ffffffff");
    let read = Assignment::decode(&plan).unwrap();
    assert_eq!(read.topics, [of("ant", &[0, 2]), of("bee", &[1])]);
    assert_eq!(read.encode(), plan);
    assert_eq!(empty_assignment(), bytes("000000000000ffffffff"));
}

#[test]
fn a_version_without_its_fields_is_read_as_not_said() {
    let cut = bytes("0001000000010003616e7400000000");
    let read = Subscription::decode(&cut).unwrap();
    assert_eq!((read.topics, read.tail.owned.iter().count(), read.tail.user_data), (vec!["ant"], 0, Some(&[][..])));
}

#[test]
fn newer_versions_are_read_as_the_newest_known_and_negative_ones_refused() {
    let mut newer = bytes("0003000000010003616e74ffffffff00000000ffffffffffff");
    newer[1] = 9;
    newer.extend_from_slice(b"what comes later");
    assert_eq!(Subscription::decode(&newer).unwrap().topics, ["ant"]);
    newer[0] = 0xff;
    assert_eq!(Subscription::decode(&newer), Err(NotDecodable("version")));
}

#[test]
fn counts_that_the_bytes_cannot_hold_are_refused() {
    for hex in ["00007fffffff", "000100000000ffffffff7fffffff", "0001000000000000000a"] {
        assert!(Subscription::decode(&bytes(hex)).is_err(), "{hex}");
    }
    assert!(Assignment::decode(&bytes("00007fffffff0000")).is_err());
    assert!(Assignment::decode(&bytes("0000000000010001617fffffff00000000")).is_err());
}

#[test]
fn writing_sorts_and_drops_repetition() {
    let messy = Subscription {
        version: 3,
        topics: vec!["b", "a", "b"],
        tail: Tail { owned: vec![of("b", &[2, 0]), of("a", &[1])].into(), generation: 4, ..Tail::default() },
    };
    let bytes = messy.encode();
    let read = Subscription::decode(&bytes).unwrap();
    assert_eq!(read.topics, ["a", "b"]);
    assert_eq!(read.tail.owned, vec![of("a", &[1]), of("b", &[0, 2])].into());
}

#[test]
fn a_known_list_of_topics_is_recognised() {
    let bytes = Subscription { version: 1, topics: vec!["a", "b"], tail: Tail::default() }.encode();
    let first = SplitSubscription::new(&bytes).unwrap();
    let again = SplitSubscription::with_topics(&bytes, first.encoded_topics()).unwrap();
    assert_eq!(again.tail().unwrap(), first.tail().unwrap());
    let other = Subscription { version: 1, topics: vec!["a", "c"], tail: Tail::default() }.encode();
    assert!(SplitSubscription::with_topics(&other, first.encoded_topics()).is_none());
}

proptest! {
    #[test]
    fn round_trip(
        version in 0i16..=3,
        topics in prop::collection::btree_set("[a-zäß]{0,12}", 0..6),
        owned in prop::collection::btree_map("[a-z]{1,8}", prop::collection::btree_set(any::<i32>(), 0..5), 0..4),
        generation in -1i32..100,
        data in prop::option::of(prop::collection::vec(any::<u8>(), 0..20)),
        rack in prop::option::of("[a-z]{1,5}"),
    ) {
        let mut whole = Subscription {
            version,
            topics: topics.iter().map(String::as_str).collect(),
            tail: Tail { user_data: data.as_deref(), ..Tail::default() },
        };
        let owned: Vec<_> = owned
            .iter()
            .map(|(topic, numbers)| TopicPartitions { topic, partitions: numbers.iter().copied().collect() })
            .collect();
        if version >= 1 { whole.tail.owned = owned.clone().into(); }
        if version >= 2 { whole.tail.generation = generation; }
        if version >= 3 { whole.tail.rack = rack.as_deref(); }
        let bytes = whole.encode();
        prop_assert_eq!(Subscription::decode(&bytes).unwrap(), whole);
        for cut in 0..bytes.len() {
            let _ = Subscription::decode(&bytes[..cut]);
        }
        let plan = Assignment { topics: owned, user_data: data.as_deref() };
        let bytes = plan.encode();
        prop_assert_eq!(Assignment::decode(&bytes).unwrap(), plan);
        for cut in 0..bytes.len() {
            prop_assert!(Assignment::decode(&bytes[..cut]).is_err());
        }
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Subscription::decode(&bytes);
        let _ = Assignment::decode(&bytes);
    }
}
