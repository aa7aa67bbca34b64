//! What every backend of [`Store`] must do, run against each of them.

use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{Entry, Origin, Snapshot, Store};
use crate::group::event::{CommittedOffset, OfferedProtocol};
use crate::group::record::{Header, MemberRecord, OffsetRecord, PlanRecord, StandIn, State};
use crate::group::{GenerationOutcome, GenerationRecord, Record, RecordKey, Suspension};
use crate::ids::{Digest, Generation, GroupId, MemberId, TopicName};
use crate::time::WallTime;
use crate::topics::Topic;

/// Random histories per backend: a durable backend syncs the disk for each batch.
const HISTORIES: u32 = 48;

/// Checks a backend. `fresh` makes a new empty place, `open` a store on what is in a place.
pub(crate) fn check<P>(fresh: impl Fn() -> P, open: impl Fn(&P) -> Box<dyn Store>) {
    type Story = fn(&dyn Fn() -> Box<dyn Store>);
    let stories: [(&str, Story); 12] = [
        ("an empty store holds nothing", empty_store_holds_nothing),
        ("an empty batch is fine", empty_batch_is_fine),
        ("every record comes back whole, in order", every_record_comes_back),
        ("the last record of a key wins", last_record_wins),
        ("the order within a batch counts", order_within_a_batch_counts),
        ("Removed takes every key of its group and of no other", removed_takes_the_whole_group),
        ("OffsetRemoved takes one offset", offset_removed_takes_one),
        ("a plan outlives a change of the header", plan_outlives_header),
        ("a group grows, changes and shrinks", group_grows_and_shrinks),
        ("names of any text and length are kept apart", names_are_kept_apart),
        ("topics come and go", topics_come_and_go),
        ("origins come and go", origins_come_and_go),
    ];
    for (name, story) in stories {
        eprintln!("{name}");
        let place = fresh();
        story(&|| open(&place));
    }
    agrees_with_the_model(&fresh, &open);
}

fn empty_store_holds_nothing(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    assert_eq!(store.load().unwrap(), Snapshot::default());
    assert_eq!(store.load_group(&"g".into()).unwrap(), []);
}

fn empty_batch_is_fine(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    store.append(&[]).unwrap();
    assert_eq!(store.load().unwrap(), Snapshot::default());
}

fn every_record_comes_back(open: &dyn Fn() -> Box<dyn Store>) {
    let records = vec![
        header(3),
        plan(3, 1000),
        Record::Reserved(Generation(19)),
        suspensions(),
        offset("a", 0, 7),
        offset("b", -1, 8),
    ];
    let mut store = open();
    // Backwards: the order in which they are loaded is the store's, not the writer's.
    store.append(&of("g", records.iter().rev().cloned())).unwrap();
    assert_eq!(store.load_group(&"g".into()).unwrap(), records);
    drop(store);
    assert_eq!(open().load().unwrap().groups, [(GroupId::from("g"), records)]);
}

fn last_record_wins(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    for generation in 1..4 {
        store
            .append(&of("g", [header(generation), plan(generation, 10), offset("t", 5, i64::from(generation))]))
            .unwrap();
    }
    drop(store);
    assert_eq!(open().load_group(&"g".into()).unwrap(), [header(3), plan(3, 10), offset("t", 5, 3)]);
}

fn order_within_a_batch_counts(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    store.append(&of("g", [offset("t", 1, 1), header(1)])).unwrap();
    store
        .append(&of(
            "g",
            [offset("t", 1, 2), offset("t", 2, 2), Record::Removed, offset("t", 1, 3), header(2), header(3)],
        ))
        .unwrap();
    assert_eq!(store.load_group(&"g".into()).unwrap(), [header(3), offset("t", 1, 3)]);
    store.append(&of("g", [offset("t", 1, 4), Record::Removed])).unwrap();
    assert_eq!(store.load().unwrap().groups, []);
}

fn removed_takes_the_whole_group(open: &dyn Fn() -> Box<dyn Store>) {
    let whole = [
        header(1),
        plan(1, 10),
        Record::Reserved(Generation(17)),
        suspensions(),
        offset("t", 0, 1),
        offset("t", 99, 2),
    ];
    let mut store = open();
    for group in ["", "a", "a\0", "aa", "b"] {
        store.append(&of(group, whole.clone())).unwrap();
    }
    store.append(&of("a", [Record::Removed])).unwrap();
    store.append(&of("nobody", [Record::Removed])).unwrap();
    drop(store);
    let kept: Vec<_> = ["", "a\0", "aa", "b"].map(|group| (GroupId::from(group), whole.to_vec())).into();
    assert_eq!(open().load().unwrap().groups, kept);
}

fn offset_removed_takes_one(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    store.append(&of("g", (0..70).map(|partition| offset("t", partition, 1)))).unwrap();
    store.append(&of("g", (1..70).map(|partition| Record::OffsetRemoved("t".into(), partition)))).unwrap();
    store.append(&of("g", [Record::OffsetRemoved("t".into(), 1000), Record::OffsetRemoved("u".into(), 0)])).unwrap();
    assert_eq!(store.load_group(&"g".into()).unwrap(), [offset("t", 0, 1)]);
    store.append(&of("g", [Record::OffsetRemoved("t".into(), 0)])).unwrap();
    drop(store);
    assert_eq!(open().load().unwrap().groups, []);
}

fn plan_outlives_header(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    store.append(&of("g", [header(1), plan(1, 3_000_000)])).unwrap();
    store.append(&of("g", [header(2)])).unwrap();
    drop(store);
    assert_eq!(open().load_group(&"g".into()).unwrap(), [header(2), plan(1, 3_000_000)]);
}

fn group_grows_and_shrinks(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    let other = vec![large_header(1, 70), large_plan(1, 70)];
    store.append(&of("h", other.clone())).unwrap();
    for (generation, members) in [(1, 1), (2, 200), (3, 201), (4, 70), (5, 65), (6, 64), (7, 300), (8, 0)] {
        let records = vec![large_header(generation, members), large_plan(generation, members)];
        store.append(&of("g", records.clone())).unwrap();
        assert_eq!(store.load_group(&"g".into()).unwrap(), records);
        drop(store);
        store = open();
        let groups = store.load().unwrap().groups;
        assert_eq!(groups, [(GroupId::from("g"), records), (GroupId::from("h"), other.clone())]);
    }
    store.append(&of("h", [Record::Removed])).unwrap();
    assert_eq!(store.load_group(&"h".into()).unwrap(), []);
}

fn names_are_kept_apart(open: &dyn Fn() -> Box<dyn Store>) {
    let long = "g".repeat(30_000);
    let groups = ["", "\0", "a", "a\0b", "a\u{1}", "a:b", "ab", "a\u{ffff}", "\u{10ffff}", long.as_str()];
    let mut store = open();
    for group in groups {
        for topic in ["", "\0", "b", long.as_str()] {
            store.append(&of(group, [offset(topic, 3, 1)])).unwrap();
        }
    }
    drop(store);
    let mut store = open();
    for group in groups {
        let found = store.load_group(&group.into()).unwrap();
        assert_eq!(found, ["", "\0", "b", long.as_str()].map(|topic| offset(topic, 3, 1)), "{group:?}");
    }
    let loaded = store.load().unwrap().groups;
    assert_eq!(loaded.len(), groups.len());
    assert!(loaded.is_sorted_by(|(a, _), (b, _)| a < b));
}

fn topics_come_and_go(open: &dyn Fn() -> Box<dyn Store>) {
    let racked = Topic { partitions: 2, racks: vec![vec!["r1".into(), "r2".into()], vec!["r2".into()]] };
    let plain = Topic { partitions: 12, racks: Vec::new() };
    let mut store = open();
    store.append(&[Entry::Topic("b".into(), plain.clone()), Entry::Topic("a".into(), plain.clone())]).unwrap();
    store.append(&[Entry::TopicRemoved("b".into()), Entry::Topic("a".into(), racked.clone())]).unwrap();
    store.append(&[Entry::Topic("0".into(), plain.clone()), Entry::TopicRemoved("nobody".into())]).unwrap();
    drop(store);
    assert_eq!(open().load().unwrap().topics, [("0".into(), plain), ("a".into(), racked)]);
}

fn origins_come_and_go(open: &dyn Fn() -> Box<dyn Store>) {
    let mut store = open();
    let is = |name: &str, id| Entry::Origin(name.into(), Some(origin(id)));
    store.append(&[is("b", 1), is("a", 2), is("gone", 3)]).unwrap();
    store.append(&[is("b", 4), Entry::TopicRemoved("a".into()), Entry::Origin("gone".into(), None)]).unwrap();
    assert_eq!(store.load().unwrap().origins_until, None);
    store.append(&[5, 3].map(|at| Entry::OriginsUntil(WallTime(at)))).unwrap();
    drop(store);
    assert_eq!(open().load().unwrap().origins_until, Some(WallTime(3)), "the last one");
    let expected = [("a".into(), origin(2)), ("b".into(), origin(4))];
    assert_eq!(open().load().unwrap().origins, expected, "a topic that is gone is still known by its id");
}

fn origin(id: u8) -> Origin {
    Origin { cluster: "cluster".to_owned(), id: [id; 16] }
}

/// The simplest thing that could be a store.
#[derive(Default)]
struct Model {
    records: BTreeMap<(GroupId, RecordKey), Record>,
    topics: BTreeMap<TopicName, Topic>,
    origins: BTreeMap<TopicName, Origin>,
    origins_until: Option<WallTime>,
}

impl Model {
    fn append(&mut self, batch: &[Entry]) {
        for entry in batch {
            match entry {
                Entry::Group(group, Record::Removed) => self.records.retain(|(of, _), _| of != group),
                Entry::Group(group, record @ Record::OffsetRemoved(..)) => {
                    self.records.remove(&(group.clone(), record.key()));
                }
                Entry::Group(group, record) => {
                    self.records.insert((group.clone(), record.key()), record.clone());
                }
                Entry::Topic(name, topic) => {
                    self.topics.insert(name.clone(), topic.clone());
                }
                Entry::TopicRemoved(name) => {
                    self.topics.remove(name);
                }
                Entry::Origin(name, Some(origin)) => {
                    self.origins.insert(name.clone(), origin.clone());
                }
                Entry::Origin(name, None) => {
                    self.origins.remove(name);
                }
                Entry::OriginsUntil(at) => self.origins_until = Some(*at),
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        let mut groups: BTreeMap<GroupId, Vec<Record>> = BTreeMap::new();
        for ((group, _), record) in &self.records {
            groups.entry(group.clone()).or_default().push(record.clone());
        }
        let topics = self.topics.iter().map(|(name, topic)| (name.clone(), topic.clone())).collect();
        let origins = self.origins.iter().map(|(name, origin)| (name.clone(), origin.clone())).collect();
        Snapshot { groups: groups.into_iter().collect(), topics, origins, origins_until: self.origins_until }
    }
}

/// Random batches with restarts between them: what is loaded is what the model holds, whole and group by group.
fn agrees_with_the_model<P>(fresh: &impl Fn() -> P, open: &impl Fn(&P) -> Box<dyn Store>) {
    let batch = prop::collection::vec(any_entry(), 0..24);
    let history = prop::collection::vec((batch, any::<bool>()), 0..6);
    let mut runner = TestRunner::new(Config { cases: HISTORIES, failure_persistence: None, ..Config::default() });
    let law = |history: Vec<(Vec<Entry>, bool)>| {
        let place = fresh();
        let mut store = Some(open(&place));
        let mut model = Model::default();
        for (batch, restarts) in history {
            if restarts {
                drop(store.take());
            }
            store.get_or_insert_with(|| open(&place)).append(&batch).unwrap();
            model.append(&batch);
        }
        let mut store = store.unwrap();
        let snapshot = store.load().unwrap();
        prop_assert_eq!(&snapshot, &model.snapshot());
        for (group, records) in &snapshot.groups {
            prop_assert_eq!(&store.load_group(group).unwrap(), records);
        }
        Ok(())
    };
    runner.run(&history, law).unwrap_or_else(|failure| panic!("{failure}"));
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let name = prop::sample::select(vec!["", "a", "a\0", "ab", "b", "ü"]);
    let partition = prop_oneof![4 => 0..80i32, 1 => any::<i32>()];
    let record = prop_oneof![
        2 => (1..9i32).prop_map(header),
        2 => (1..9i32, 0..5000usize).prop_map(|(generation, bytes)| plan(generation, bytes)),
        1 => any::<i32>().prop_map(|generation| Record::Reserved(Generation(generation))),
        1 => Just(suspensions()),
        1 => (1..99i32).prop_map(generation),
        1 => (1..9i32, 0..199usize).prop_map(|(generation, members)| large_header(generation, members)),
        1 => (1..9i32, 0..199usize).prop_map(|(generation, members)| large_plan(generation, members)),
        8 => (name.clone(), partition.clone(), any::<i64>()).prop_map(|(topic, at, to)| offset(topic, at, to)),
        3 => (name.clone(), partition).prop_map(|(topic, partition)| Record::OffsetRemoved(topic.into(), partition)),
        1 => Just(Record::Removed),
    ];
    let topic = (1..100u32).prop_map(|partitions| Topic { partitions, racks: Vec::new() });
    prop_oneof![
        8 => (name.clone(), record).prop_map(|(group, record)| Entry::Group(group.into(), record)),
        1 => (name.clone(), topic).prop_map(|(name, topic)| Entry::Topic(name.into(), topic)),
        1 => name.clone().prop_map(|name| Entry::TopicRemoved(name.into())),
        1 => (name, any::<bool>()).prop_map(|(name, is_known)| Entry::Origin(name.into(), is_known.then(|| origin(3)))),
        1 => any::<i64>().prop_map(|at| Entry::OriginsUntil(WallTime(at))),
    ]
}

fn of(group: &str, records: impl IntoIterator<Item = Record>) -> Vec<Entry> {
    records.into_iter().map(|record| Entry::Group(group.into(), record)).collect()
}

fn header(generation: i32) -> Record {
    let member = MemberRecord {
        id: "m-1".into(),
        instance: Some("i".into()),
        client_id: "client".into(),
        client_host: "/127.0.0.1".into(),
        session_timeout_ms: 45_000,
        rebalance_timeout_ms: 300_000,
        protocols: [OfferedProtocol { name: "range".into(), metadata: Bytes::from_static(b"\0\xff") }].into(),
        modules: None,
    };
    Record::Header(Header {
        protocol_type: Some("consumer".into()),
        protocol: Some("range".into()),
        generation: Generation(generation),
        leader: Some("m-1".into()),
        members: vec![member],
        since: WallTime(1_800_000_000_000),
    })
}

fn plan(generation: i32, bytes: usize) -> Record {
    Record::Plan(PlanRecord {
        generation: Generation(generation),
        digest: Some(Digest([7; 32])),
        states: vec![("m-1".into(), State(vec![0xc1; bytes].into())), ("m-2".into(), State::default())],
        memo: Some(State(Bytes::from_static(b"memo"))),
        fingerprint: Some(u64::MAX - 1),
        call_again: Some(WallTime(1_800_000_000_007)),
        stand_in: Some(StandIn { by: "its own range".to_owned(), reason: "trap".to_owned() }),
        chosen: Some(Box::new(Digest([8; 32]))),
        copies: 2,
    })
}

fn large_header(generation: i32, members: usize) -> Record {
    let Record::Header(mut header) = header(generation) else { unreachable!("see above") };
    let member = header.members.remove(0);
    header.members.extend((0..members).map(|at| MemberRecord { id: nth_member(at), ..member.clone() }));
    Record::Header(header)
}

fn large_plan(generation: i32, members: usize) -> Record {
    let Record::Plan(mut plan) = plan(generation, 0) else { unreachable!("see above") };
    // Those of a few members differ from generation to generation.
    let state = |at: usize| vec![if at.is_multiple_of(10) { generation as u8 } else { 0 }; 20];
    plan.states = (0..members).map(|at| (nth_member(at), State(state(at).into()))).collect();
    Record::Plan(plan)
}

fn nth_member(at: usize) -> MemberId {
    format!("m-{at:03}").as_str().into()
}

fn suspensions() -> Record {
    Record::Suspensions(vec![Suspension {
        protocol: "rack-aware@3".into(),
        digest: None,
        until: WallTime(-1),
        failures: 2,
        reason: "trap: unreachable".to_owned(),
    }])
}

fn generation(number: i32) -> Record {
    Record::Generation(GenerationRecord {
        generation: Generation(number),
        trigger: "m-1 joined".to_owned(),
        began: WallTime(7),
        join_ms: 3000,
        plan_ms: None,
        protocol: Some("range".into()),
        digest: Some(Digest([7; 32])),
        leader: Some("m-1".into()),
        members: 1,
        outcome: GenerationOutcome::Failed("trap".to_owned()),
        stand_in: None,
        captured: Some("g-7-1700000000000".into()),
        moved: None,
    })
}

fn offset(topic: &str, partition: i32, to: i64) -> Record {
    let metadata = "a note, ü".to_owned();
    let offset = CommittedOffset { topic: topic.into(), partition, offset: to, leader_epoch: -1, metadata };
    // Some clients say how long their offsets are kept.
    let expires = (partition % 2 != 0).then_some(WallTime(to));
    Record::Offset(OffsetRecord { offset, at: WallTime(5), expires })
}
