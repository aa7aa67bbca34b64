//! The leader's path from members' bytes to members' bytes, in both shapes.

use std::sync::Mutex;

use divvy_guest::abi::msgpack::Writer;
use divvy_guest::abi::reply::{Refused, plan_head, plan_tail, refused, states};
use divvy_guest::abi::request::{Partitions, States};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::assignor::testing::Group;
use crate::assignor::{case, native_range};
use crate::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};
use crate::embedded::single_writer::Role;
use crate::embedded::sticky::StickyData;
use crate::embedded::user_data::{Facts, Last, UserData};
use crate::ids::{Digest, Protocol};

/// A strategy that always gives the same reply and keeps what it was asked.
struct Canned {
    manifest: Manifest,
    reply: Vec<u8>,
    check: Option<Vec<u8>>,
    asked: Mutex<Vec<u8>>,
}

impl Canned {
    fn new(reply: Vec<u8>) -> Self {
        Self { manifest: native_range().manifest().clone(), reply, check: None, asked: Mutex::default() }
    }
}

impl Assignor for Canned {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    fn digest(&self) -> Option<Digest> {
        None
    }
    fn has_check(&self) -> bool {
        self.check.is_some()
    }
    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        if export == Export::Check {
            return Ok(self.check.clone().expect("only who has a check is asked"));
        }
        assert!(budget.max_output >= self.reply.len());
        *self.asked.lock().unwrap() = request.to_vec();
        Ok(self.reply.clone())
    }
}

fn plan(owners: &[u16], memo: Option<&[u8]>, call_again_ms: Option<u64>) -> Vec<u8> {
    let bytes: Vec<u8> = owners.iter().flat_map(|owner| owner.to_le_bytes()).collect();
    let mut reply = plan_head(1, bytes.len() as u32).to_vec();
    reply.extend_from_slice(&bytes);
    plan_tail(&mut reply, None, memo, call_again_ms, &[]);
    reply
}

fn group() -> Group {
    Group::new(&[("t", 2)]).member("a", &["t"]).member("b", &["t"])
}

#[test]
fn a_plan_carries_states_memo_and_the_topics_it_was_made_for() {
    let strategy = Canned::new(plan(&[1, 0], Some(b"remember"), Some(5)));
    let group = group();
    let plan = lead(&strategy, &group.input()).unwrap();
    assert_eq!(case::shares(&plan).unwrap()["a"]["t"], [1]);
    assert_eq!(plan.memo.as_deref(), Some(&b"remember"[..]));
    assert_eq!(plan.call_again, Some(SHORTEST_CALL_AGAIN));
    assert_eq!(plan.topics, [("t".into(), 2)]);
    assert!(plan.complete);
}

#[test]
fn what_is_held_back_is_asked_for_again_though_nobody_gives_it_up() {
    let holds = |owned: &[i32]| {
        Group::new(&[("t", 2)]).cooperative().owner("a", &["t"], 7, &[("t", owned)]).member("b", &["t"])
    };
    for (owners, asked, call_again) in [
        (&[0, 1], None, Some(LONGEST_HELD_BACK)),
        (&[0, 1], Some(5_000), Some(Duration::from_secs(5))),
        (&[0, 1], Some(500_000), Some(LONGEST_HELD_BACK)),
        (&[0, 0], None, None),
    ] {
        let plan = lead(&Canned::new(plan(owners, None, asked)), &holds(&[0, 1]).input()).unwrap();
        assert_eq!(plan.call_again, call_again, "{owners:?}");
    }
}

#[test]
fn the_request_says_facts_rack_claims_and_configuration() {
    let data = UserData {
        facts: Facts::from([("rack".into(), json!("r2")), ("weight".into(), json!(3))]),
        last: Some(Last {
            generation: 4,
            owned: vec![TopicPartitions { topic: "t", partitions: [1].into_iter().collect() }].into(),
        }),
        x: Some(b"x"),
    }
    .encode();
    let tail = Tail { user_data: Some(&data), ..Tail::default() };
    let mut group = Group::new(&[("t", 2)])
        .raw("a", Subscription { version: 1, topics: vec!["t"], tail }.encode())
        .raw(
            "b",
            Subscription { version: 0, topics: vec!["t"], tail: Tail { user_data: Some(&[]), ..Tail::default() } }
                .encode(),
        )
        .racks("t", &[&["r1"], &["r2", "r3"]]);
    group.config = json!({ "scope": "group" });
    let mut strategy = Canned::new(plan(&[0, 1], None, None));
    strategy.manifest.needs = vec!["replica_racks".into()];
    lead(&strategy, &group.input()).unwrap();

    let asked = strategy.asked.lock().unwrap().clone();
    let request = Partitions::read(&asked).unwrap();
    assert_eq!(request.racks, ["r1", "r2", "r3"]);
    assert_eq!((request.members[0].rack, request.members[1].rack), (Some(1), None));
    assert_eq!((request.members[0].user_data, request.members[1].user_data), (Some(&b"x"[..]), Some(&[][..])));
    assert_eq!(rmp_serde::from_slice::<serde_json::Value>(request.members[0].facts).unwrap()["weight"], json!(3));
    assert_eq!(request.claims, [0xff, 0xff, 0, 0]);
    assert_eq!(request.columns, [("replica_racks", &[0, 0, 0xff, 0xff, 1, 0, 2, 0][..])]);
    assert_eq!(rmp_serde::from_slice::<serde_json::Value>(request.head.config).unwrap(), group.config);
    assert_eq!((request.head.group, request.head.generation), ("g", 8));
}

#[test]
fn under_kafkas_sticky_foreign_members_are_told_what_they_have_once_more() {
    let note = Subscription {
        version: 3,
        topics: vec!["t"],
        tail: Tail { note: Some(r#"{"facts":{"zone":"z"},"x":"6d79"}"#), ..Tail::default() },
    };
    let group = Group::new(&[("t", 2)]).raw("a", note.encode()).member("b", &["t"]);
    let strategy = Canned::new(plan(&[0, 1], None, None));
    let data_under = |protocol: &Protocol| {
        let plan = lead(&strategy, &LeaderInput { protocol, ..group.input() }).unwrap();
        let states =
            plan.states.iter().map(|(_, state)| Assignment::decode(state).unwrap().user_data.map(<[u8]>::to_vec));
        states.collect::<Vec<_>>()
    };
    let data = StickyData {
        generation: 8,
        owned: vec![TopicPartitions { topic: "t", partitions: [1].into_iter().collect() }].into(),
    };
    assert_eq!(data_under(&"sticky".into()), [None, Some(data.encode())], "the first is divvy's own");
    assert_eq!(data_under(&"range".into()), [None, None]);
    let asked = strategy.asked.lock().unwrap().clone();
    let request = Partitions::read(&asked).unwrap();
    assert_eq!(request.members[0].user_data, Some(&b"my"[..]), "what a note says reaches the strategy");
    assert_eq!(rmp_serde::from_slice::<serde_json::Value>(request.members[0].facts).unwrap(), json!({ "zone": "z" }));
}

#[test]
fn a_column_is_sent_to_those_who_need_it() {
    let group = group();
    let columns = [super::super::Column { name: "lag".into(), values: [("t".into(), vec![7])].into(), unknown: 9 }];
    let input = LeaderInput { columns: &columns, ..group.input() };
    let mut strategy = Canned::new(plan(&[0, 1], None, None));
    lead(&strategy, &input).unwrap();
    assert!(Partitions::read(&strategy.asked.lock().unwrap()).unwrap().columns.is_empty());
    strategy.manifest.needs = vec!["lag".into()];
    lead(&strategy, &input).unwrap();
    let asked = strategy.asked.lock().unwrap().clone();
    let column = [7u64.to_le_bytes(), 9u64.to_le_bytes()].concat();
    assert_eq!(Partitions::read(&asked).unwrap().columns, [("lag", &column[..])]);
}

#[test]
fn each_failure_has_its_kind() {
    let failure = |reply: Vec<u8>| lead(&Canned::new(reply), &group().input()).unwrap_err();
    assert_eq!(failure(vec![0xc1]).kind, FaultKind::InvalidReply);
    assert_eq!(failure(plan(&[0], None, None)).kind, FaultKind::InvalidReply);
    assert_eq!(failure(plan(&[0, 1], Some(&[0; MAX_MEMO_BYTES + 1]), None)).kind, FaultKind::InvalidReply);
    assert_eq!(failure(plan(&[0, 9], None, None)).kind, FaultKind::InvalidAssignment);
    let no = failure(refused(Refused { code: "no_reader", message: "nobody", retriable: false, member: Some(1) }, &[]));
    assert_eq!((no.kind, no.code.as_deref()), (FaultKind::GuestError, Some("no_reader")));
    assert_eq!(no.message, r#"nobody (member "b")"#);
}

#[test]
fn more_copies_than_the_manifest_allows_are_refused() {
    let mut reply = plan_head(2, 8).to_vec();
    reply.extend_from_slice(&[0, 0, 1, 0, 1, 0, 0, 0]);
    plan_tail(&mut reply, None, None, None, &[]);
    let mut strategy = Canned::new(reply);
    assert_eq!(lead(&strategy, &group().input()).unwrap_err().kind, FaultKind::InvalidAssignment);
    strategy.manifest.copies = Copies::Many;
    assert_eq!(lead(&strategy, &group().input()).unwrap().copies, 2);
}

#[test]
fn a_member_that_cannot_be_read_gets_nothing_and_the_others_their_work() {
    let group = group().raw("broken", vec![0xff]);
    let plan = lead(native_range(), &group.input()).unwrap();
    assert!(case::shares(&plan).unwrap()["broken"].is_empty());
    assert_eq!(plan.states.len(), 3);
    assert!(plan.diagnostics[0].text.contains("broken"));
}

fn roles(active: &[bool]) -> Vec<u8> {
    let roles: Vec<_> =
        active.iter().map(|&active| Role { active, epoch: 8, active_member: "a".into() }.encode()).collect();
    states(&roles, None, None, &[])
}

fn states_strategy(reply: Vec<u8>) -> Canned {
    let mut strategy = Canned::new(reply);
    strategy.manifest.shape = Shape::States;
    strategy.manifest.protocol_type = "single-writer".into();
    strategy
}

fn writers() -> Group {
    let mut group = Group::new(&[]).raw("b", "say b").raw("a", "say a").raw("a", "say it again");
    group.protocol_type = "single-writer".into();
    group
}

#[test]
fn shape_states_hands_metadata_over_and_states_back_by_member_id() {
    let strategy = states_strategy(roles(&[true, false]));
    let plan = lead(&strategy, &writers().input()).unwrap();
    assert_eq!(plan.states.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(Role::decode(&plan.states[0].1).unwrap().active);
    let asked = strategy.asked.lock().unwrap().clone();
    let request = States::read(&asked).unwrap();
    let members: Vec<_> = request.members.iter().map(|member| (member.id, member.metadata)).collect();
    assert_eq!(members, [("a", &b"say a"[..]), ("b", &b"say b"[..])]);
}

#[test]
fn shape_states_is_judged_by_the_type_and_by_the_module_s_own_check() {
    let both = lead(&states_strategy(roles(&[true, true])), &writers().input()).unwrap_err();
    assert_eq!(both.kind, FaultKind::InvalidAssignment);
    let few = lead(&states_strategy(roles(&[true])), &writers().input()).unwrap_err();
    assert_eq!(few.kind, FaultKind::InvalidReply);

    let mut checked = states_strategy(roles(&[true, false]));
    checked.check = Some(refused(Refused { code: "stale", message: "too old", retriable: false, member: None }, &[]));
    let refused = lead(&checked, &writers().input()).unwrap_err();
    assert_eq!((refused.kind, refused.message.as_str()), (FaultKind::InvalidAssignment, "too old"));
    checked.check = Some(divvy_guest::abi::reply::checked());
    assert!(lead(&checked, &writers().input()).is_ok());
    // A check that says nothing has not agreed.
    checked.check = Some(Vec::new());
    assert_eq!(lead(&checked, &writers().input()).unwrap_err().kind, FaultKind::InvalidReply);
}

#[test]
fn replies_of_another_shape_are_invalid() {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    writer.array(3);
    writer.unsigned(0);
    writer.nil();
    writer.array(0);
    assert_eq!(lead(&Canned::new(bytes), &group().input()).unwrap_err().kind, FaultKind::InvalidReply);
}

prop_compose! {
    fn any_group()(
        partitions in prop::collection::vec(0u32..9, 1..6),
        members in prop::collection::vec((prop::collection::vec(0usize..6, 0..6), prop::option::of(0u8..20)), 0..9),
    ) -> Group {
        let names: Vec<_> = (0..6).map(|index| format!("topic-{index}")).collect();
        let topics: Vec<_> = names.iter().map(String::as_str).zip(partitions).collect();
        let mut group = Group::new(&topics);
        for (index, (reads, instance)) in members.into_iter().enumerate() {
            let reads: Vec<_> = reads.into_iter().map(|topic| names[topic].as_str()).collect();
            group = group.member(&format!("m-{index}"), &reads);
            group.members[index].instance = instance.map(|name| format!("i-{name}-{index}").into());
        }
        group
    }
}

proptest! {
    #[test]
    fn what_a_leader_makes_its_coordinator_accepts(group in any_group()) {
        let plan = lead(native_range(), &group.input()).unwrap();
        let verdict = check_plan(&EncodedPlan {
            protocol_type: &group.protocol_type,
            members: &group.metadata(),
            states: &plan.states,
            topics: &plan.topics,
            copies: plan.copies,
            complete: plan.complete,
            mode: plan.mode,
        });
        prop_assert_eq!(verdict, Ok(()));
    }

    #[test]
    fn a_plan_does_not_depend_on_the_order_of_members(mut group in any_group(), turn in 0usize..9) {
        let plan = lead(native_range(), &group.input()).unwrap();
        let turn = turn % group.members.len().max(1);
        group.members.rotate_left(turn);
        prop_assert_eq!(lead(native_range(), &group.input()).unwrap(), plan);
    }

    #[test]
    fn no_reply_makes_a_leader_panic(reply in prop::collection::vec(any::<u8>(), 0..64), cut in 0usize..40) {
        let _ = lead(&Canned::new(reply), &group().input());
        let whole = plan(&[0, 1], Some(b"m"), Some(2000));
        let _ = lead(&Canned::new(whole[..cut.min(whole.len())].to_vec()), &group().input());
    }
}
