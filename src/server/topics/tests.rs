//! Creation, bounds, ids, racks as brokers, and the configuration against the store.

use std::collections::HashSet;

use super::*;

fn topic(partitions: u32, racks: &[&[&str]]) -> Topic {
    Topic { partitions, racks: racks.iter().map(|of| of.iter().map(|&rack| rack.to_owned()).collect()).collect() }
}

fn empty() -> Topics {
    Topics::new(&[])
}

fn code(outcome: Result<Entry, TopicError>) -> ErrorCode {
    outcome.expect_err("it is refused").code
}

#[test]
fn a_created_topic_is_there_at_once_and_says_what_to_store() {
    let topics = empty();
    let before = topics.snapshot();
    let entry = topics.create("clicks", 3, Vec::new()).unwrap();
    assert_eq!(entry, Entry::Topic("clicks".into(), topic(3, &[])));
    assert!(topics.snapshot().has_partition("clicks", 2));
    assert!(before.get("clicks").is_none(), "a reader keeps the moment that it took");
}

#[test]
fn a_topic_that_could_not_be_stored_is_taken_back() {
    let topics = empty();
    topics.create("clicks", 3, vec![vec!["r".to_owned()]; 3]).unwrap();
    topics.remove(["clicks".into(), "nobody".into()].iter());
    assert_eq!(*topics.view(), *empty().view());
    topics.create("clicks", 5, Vec::new()).unwrap();
}

#[test]
fn named_topics_come_to_be_once_and_leave_room() {
    let topics = Topics::new(&[("configured".into(), topic(1, &[]))]);
    let named = topics.create_named(["new", "configured", "a b", "new"].into_iter(), 4);
    assert_eq!(named, Named { entries: vec![Entry::Topic("new".into(), topic(4, &[]))], left_out: 0 });
    let many: Vec<String> = (0..MAX_TOPICS).map(|i| format!("t{i}")).collect();
    let named = topics.create_named(many.iter().map(String::as_str), 4);
    assert_eq!(topics.snapshot().0.len(), MAX_NAMED_TOPICS);
    assert_eq!(named.entries.len() + named.left_out, many.len());
    topics.create("on-purpose", 1, Vec::new()).unwrap();
    let named = empty().create_named(many.iter().map(String::as_str), MAX_PARTITIONS_PER_TOPIC);
    assert_eq!(named.entries.len() as u64, MAX_PARTITIONS / u64::from(MAX_PARTITIONS_PER_TOPIC));
}

#[test]
fn a_second_topic_of_a_name_is_refused() {
    let topics = Topics::new(&[("configured".into(), topic(1, &[]))]);
    topics.create("created", 1, Vec::new()).unwrap();
    assert_eq!(code(topics.create("created", 1, Vec::new())), ErrorCode::TopicAlreadyExists);
    assert_eq!(code(topics.create("configured", 1, Vec::new())), ErrorCode::TopicAlreadyExists);
}

#[test]
fn names_are_those_that_kafka_takes() {
    let topics = empty();
    let longest = "t".repeat(MAX_TOPIC_NAME_BYTES);
    for name in ["a", "A.b_c-9", "...", "__x", longest.as_str()] {
        topics.create(name, 1, Vec::new()).unwrap();
    }
    let too_long = "t".repeat(MAX_TOPIC_NAME_BYTES + 1);
    for name in ["", ".", "..", "a b", "a/b", "ü", "a\0", too_long.as_str()] {
        assert_eq!(code(topics.create(name, 1, Vec::new())), ErrorCode::InvalidTopic, "{name:?}");
    }
}

#[test]
fn partitions_and_racks_are_bounded() {
    let topics = empty();
    let rack = |text: &str| vec![text.to_owned()];
    assert_eq!(code(topics.create("t", 0, Vec::new())), ErrorCode::InvalidPartitions);
    assert_eq!(code(topics.create("t", MAX_PARTITIONS_PER_TOPIC + 1, Vec::new())), ErrorCode::InvalidPartitions);
    let too_many: Vec<Rack> = (0..=crate::topics::MAX_RACKS_PER_PARTITION).map(|i| i.to_string()).collect();
    for racks in
        [vec![rack("r")], vec![rack("r"), rack("")], vec![rack("r"), rack(&"r".repeat(250))], vec![rack("r"), too_many]]
    {
        assert_eq!(code(topics.create("t", 2, racks)), ErrorCode::InvalidReplicaAssignment);
    }
    let twice =
        topics.create("t", 2, vec![rack("r"), vec!["a".to_owned(), "b".to_owned(), "a".to_owned()]]).unwrap_err();
    assert_eq!(twice.message, "partition 1 of topic t names rack \"a\" twice: name each once");
}

#[test]
fn all_topics_together_are_bounded() {
    let topics = empty();
    for i in 0..4 {
        topics.create(&format!("t{i}"), MAX_PARTITIONS_PER_TOPIC, Vec::new()).unwrap();
    }
    let refused = topics.create("one-more", 1, Vec::new()).unwrap_err();
    assert_eq!(refused.code, ErrorCode::PolicyViolation);
    assert!(refused.message.contains("4000000 partitions"), "{refused}");

    let many = (0..MAX_TOPICS).map(|i| (TopicName::from(format!("t{i}")), topic(1, &[])));
    let topics = Topics::new(&many.collect::<Vec<_>>());
    assert_eq!(code(topics.create("one-more", 1, Vec::new())), ErrorCode::PolicyViolation);
}

#[test]
fn all_racks_together_are_bounded() {
    let racks = |from: usize, count: usize| (from..from + count).map(|i| vec![format!("r{i}")]).collect::<Vec<_>>();
    let topics = empty();
    topics.create("full", MAX_RACKS as u32, racks(0, MAX_RACKS)).unwrap();
    assert_eq!(topics.view().brokers().len(), MAX_RACKS + 1);
    assert_eq!(code(topics.create("more", 1, racks(MAX_RACKS, 1))), ErrorCode::PolicyViolation);
    topics.create("same", 1, racks(7, 1)).unwrap();
}

#[test]
fn ids_come_from_the_name_alone() {
    assert_eq!(topic_id("clicks"), topic_id("clicks"));
    // Written down: a change would give every topic another identity after an upgrade.
    let text: String = topic_id("clicks").iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(text, "2d15fccdae3b80ef9a8e149635cf5789");
    let ids: HashSet<TopicId> = (0..10_000).map(|i| topic_id(&format!("t{i}"))).collect();
    assert_eq!(ids.len(), 10_000);
    assert!(ids.iter().all(|id| id[6] >> 4 == 8 && id[8] >> 6 == 2 && id[0] < 0x80));
    let topics = empty();
    topics.create("clicks", 1, Vec::new()).unwrap();
    assert_eq!(topics.view().name_of(&topic_id("clicks")), Some(&"clicks".into()));
    assert_eq!(topics.view().name_of(&topic_id("queries")), None);
}

#[test]
fn racks_are_brokers_and_partitions_live_on_them() {
    let topics = empty();
    assert_eq!(topics.view().brokers(), [Broker { node: COORDINATOR_NODE, rack: None }]);
    topics.create("t", 3, vec![vec!["b".into(), "a".into()], vec!["a".into()], Vec::new()]).unwrap();
    topics.create("plain", 1, Vec::new()).unwrap();
    let view = topics.view();
    let (t, plain) = (view.table().get("t").unwrap(), view.table().get("plain").unwrap());
    let racks =
        |partition| view.replicas(t, partition).iter().map(|&node| view.rack_of(node).cloned()).collect::<Vec<_>>();
    assert_eq!(view.brokers().len(), 3);
    assert_eq!(racks(0), [Some("b".to_owned()), Some("a".to_owned())]);
    assert_eq!(racks(1), [Some("a".to_owned())]);
    assert_eq!(view.replicas(t, 2), [COORDINATOR_NODE]);
    assert_eq!(view.replicas(plain, 0), [COORDINATOR_NODE]);
    assert_eq!(view.rack_of(COORDINATOR_NODE), None);
    assert_eq!(view.rack_of(-1), None);
}

#[test]
fn a_rack_keeps_its_node_when_others_come() {
    let topics = empty();
    topics.create("t", 1, vec![vec!["m".into()]]).unwrap();
    let before = topics.view().brokers().to_vec();
    topics.create("u", 2, vec![vec!["a".into()], vec!["z".into()]]).unwrap();
    let after = topics.view().brokers().to_vec();
    assert!(before.iter().all(|broker| after.contains(broker)));
    assert!(after.is_sorted_by_key(|broker| broker.node));
}

#[test]
fn the_configuration_wins_upwards_and_never_shrinks() {
    let configured = [
        ("same".into(), topic(2, &[&["r"], &["r"]])),
        ("grows".into(), topic(5, &[])),
        ("shrinks".into(), topic(2, &[&["a"], &["b"]])),
        ("new".into(), topic(1, &[])),
    ];
    let stored = vec![
        ("same".into(), topic(2, &[])),
        ("grows".into(), topic(3, &[&["a"], &["b"], &["a"]])),
        ("shrinks".into(), topic(3, &[])),
        ("created".into(), topic(7, &[])),
    ];
    let topics = Topics::new(&configured);
    let warnings = topics.add_stored(stored);
    let table = topics.snapshot();
    assert_eq!(table.get("same"), Some(&topic(2, &[&["r"], &["r"]])));
    assert_eq!(table.get("grows"), Some(&topic(5, &[])));
    assert_eq!(table.get("shrinks"), Some(&topic(3, &[&["a"], &["b"], &["a"]])));
    assert_eq!(table.get("new"), Some(&topic(1, &[])));
    assert_eq!(table.get("created"), Some(&topic(7, &[])));
    let [grows, shrinks] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!(grows, "topic grows grows from 3 to 5 partitions, as the configuration says");
    assert!(shrinks.contains("keeps the 3 partitions") && shrinks.contains("write `partitions = 3`"), "{shrinks}");
}

#[test]
fn topics_grow_as_far_as_there_is_room() {
    let million = topic(MAX_PARTITIONS_PER_TOPIC, &[]);
    let mut all: Vec<_> = ["a", "b", "c"].map(|name| (TopicName::from(name), million.clone())).to_vec();
    all.push(("d".into(), topic(MAX_PARTITIONS_PER_TOPIC - 10, &[])));
    let topics = Topics::new(&all);
    topics.create("e", 3, Vec::new()).unwrap();
    let to = |partitions| vec![(TopicName::from("e"), Growth { partitions, racks: None })];
    let refused = topics.grow(&to(11), false).remove(0).expect_err("11 more than all may have");
    assert_eq!(refused.code, ErrorCode::PolicyViolation);
    let (before, after) = topics.grow(&to(10), true).remove(0).unwrap();
    assert_eq!((before.1.partitions, after.partitions), (3, 10));
    assert_eq!(topics.snapshot().get("e"), Some(&topic(3, &[])), "it was only asked");
    topics.grow(&to(10), false).remove(0).unwrap();
    assert!(topics.snapshot().has_partition("e", 9));
    topics.put_back(vec![before]);
    assert!(!topics.snapshot().has_partition("e", 3));
}

#[test]
fn topics_are_taken_out_and_put_back_as_they_were() {
    let topics = Topics::new(&[("configured".into(), topic(1, &[]))]);
    topics.create("clicks", 3, vec![vec!["r".to_owned()]; 3]).unwrap();
    let before = topics.view();
    let outcomes = topics.take_out(&["clicks".into(), "configured".into(), "clicks".into()]);
    let codes: Vec<_> = outcomes.iter().map(|outcome| outcome.as_ref().err().map(|error| error.code)).collect();
    let expected = [None, Some(ErrorCode::TopicDeletionDisabled), Some(ErrorCode::UnknownTopicOrPartition)];
    assert_eq!(codes, expected);
    assert_eq!(topics.view().brokers().len(), 1, "its rack went with it");
    topics.put_back(outcomes.into_iter().flatten().collect());
    assert_eq!(*topics.view(), *before);
}

#[test]
fn a_topic_that_came_with_a_configuration_read_again_is_not_deleted_over_the_wire() {
    let topics = Topics::new(&[("first".into(), topic(1, &[]))]);
    topics.create("clicks", 2, Vec::new()).unwrap();
    topics
        .reconfigure(&[
            ("first".into(), topic(1, &[])),
            ("clicks".into(), topic(2, &[])),
            ("new".into(), topic(1, &[])),
        ])
        .unwrap();
    let outcomes = topics.take_out(&["first".into(), "clicks".into(), "new".into()]);
    let codes: Vec<_> = outcomes.iter().map(|outcome| outcome.as_ref().err().map(|error| error.code)).collect();
    assert_eq!(codes, [Some(ErrorCode::TopicDeletionDisabled); 3]);
}

#[test]
fn a_configuration_that_does_not_fit_protects_nothing() {
    let topics = Topics::new(&[]);
    topics.create("clicks", 2, Vec::new()).unwrap();
    let million = |name: &str| (TopicName::from(name), topic(MAX_PARTITIONS_PER_TOPIC, &[]));
    let too_many = [("clicks".into(), topic(2, &[])), million("a"), million("b"), million("c"), million("d")];
    topics.reconfigure(&too_many).expect_err("more partitions than all topics may have");
    assert!(topics.take_out(&["clicks".into()]).remove(0).is_ok());
}
