//! A capture comes back as it was written, and no change of its file goes unnoticed.

use std::collections::BTreeMap;

use bytes::Bytes;
use divvy::assignor::capture::{Asked, Capture, Fault, Identity, LedBy, Served};
use divvy::assignor::{Column, MemberInput};
use divvy::ids::{Digest, Generation, MemberId, Mode, TopicName};
use divvy::topics::{Topic, TopicTable};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

fn bytes() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..40).prop_map(Bytes::from)
}

fn name() -> impl Strategy<Value = String> {
    ".{0,12}"
}

fn settings() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        name().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(name(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn member() -> impl Strategy<Value = MemberInput> {
    (name(), option::of(name()), bytes()).prop_map(|(id, instance, metadata)| MemberInput {
        id: id.into(),
        instance: instance.map(Into::into),
        metadata,
    })
}

fn topics() -> impl Strategy<Value = TopicTable> {
    let topic = (any::<u32>(), vec(vec(name(), 0..3), 0..4));
    btree_map(name().prop_map(TopicName::from), topic.prop_map(|(partitions, racks)| Topic { partitions, racks }), 0..4)
        .prop_map(TopicTable)
}

fn column() -> impl Strategy<Value = Column> {
    let values = btree_map(name().prop_map(TopicName::from), vec(any::<u64>(), 0..5), 0..3);
    (name(), values, any::<u64>()).prop_map(|(name, values, unknown): (_, BTreeMap<_, _>, _)| Column {
        name,
        values,
        unknown,
    })
}

fn asked() -> impl Strategy<Value = Asked> {
    let names = (name(), name(), name(), any::<i32>(), any::<bool>());
    let rest = (settings(), option::of(bytes()), option::of(bytes()), any::<i64>(), any::<u64>());
    (names, vec(member(), 0..5), topics(), vec(column(), 0..3), rest).prop_map(
        |((group, protocol, kind, generation, is_eager), members, topics, columns, rest)| {
            let (config, context, memo, now_ms, budget_ms) = rest;
            Asked {
                group: group.into(),
                generation: Generation(generation),
                protocol: protocol.into(),
                mode: if is_eager { Mode::Eager } else { Mode::Cooperative },
                protocol_type: kind.into(),
                members,
                topics,
                columns,
                config,
                context,
                memo,
                now_ms,
                budget_ms,
            }
        },
    )
}

fn digest() -> impl Strategy<Value = Option<Digest>> {
    option::of(any::<[u8; 32]>().prop_map(Digest))
}

fn capture() -> impl Strategy<Value = Capture> {
    let led_by = prop_oneof![Just(LedBy::Leader), Just(LedBy::Coordinator), Just(LedBy::Lead)];
    let module =
        (name(), any::<u32>(), digest()).prop_map(|(name, version, digest)| Identity { name, version, digest });
    let fault = (name(), option::of(name()), name()).prop_map(|(kind, code, message)| Fault { kind, code, message });
    let states = vec((name().prop_map(MemberId::from), bytes()), 0..5);
    let served = (name(), digest(), states).prop_map(|(by, digest, states)| Served { by, digest, states });
    let call = (option::of(bytes()), option::of(bytes()), option::of(fault), any::<u64>());
    (name(), led_by, asked(), module, call, served).prop_map(|(divvy, led_by, asked, module, call, served)| {
        let (request, reply, fault, took_us) = call;
        Capture { divvy, led_by, asked, module, request, reply, fault, took_us, served }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_capture_comes_back(capture in capture()) {
        prop_assert_eq!(Capture::read(&capture.write()), Ok(capture));
    }

    #[test]
    fn no_change_of_its_file_goes_unnoticed(capture in capture(), at: prop::sample::Index, flip in 1_u8..) {
        let mut file = capture.write();
        let at = at.index(file.len());
        prop_assert!(Capture::read(&file[..at]).is_err());
        file[at] ^= flip;
        prop_assert!(Capture::read(&file).is_err());
    }
}
