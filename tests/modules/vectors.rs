//! Every case of every file in `tests/vectors`, natively and through the sandbox.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use divvy::assignor::case::{Case, Shares, read_cases, shares};
use divvy::assignor::{Assignor, LeaderInput, MemberInput, Plan, lead, native_range};
use divvy::embedded::single_writer::{Candidate, Role};
use divvy::ids::Generation;
use divvy::sandbox::{Module, Sandbox, SandboxLimits};
use divvy::topics::TopicTable;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::native::{find, native};

/// Those that give each partition to one of its readers, whatever they read and with no configuration.
pub const SOLE_OWNERS: [&str; 9] = [
    "range",
    "roundrobin",
    "rack-aware",
    "sticky",
    "cooperative-sticky",
    "rack-aware-sticky",
    "uniform",
    "weighted",
    "lag-aware",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn module(sandbox: &Sandbox, name: &str) -> Arc<Module> {
    let path = root().join("assignors").join(format!("{name}.wasm"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run cargo xtask guests", path.display()));
    sandbox.load(&bytes, &path).unwrap()
}

/// A file of vectors, the assignor that it is about, and how many cases it has.
struct Vectors {
    file: &'static str,
    assignor: &'static str,
    cases: usize,
    /// Whether it has a record of Kafka's answers, which the assignor gives under `compat`.
    has_kafka: bool,
}

const fn vectors(file: &'static str, assignor: &'static str, cases: usize) -> Vectors {
    Vectors { file, assignor, cases, has_kafka: false }
}

const fn recorded(file: &'static str, cases: usize) -> Vectors {
    Vectors { file, assignor: file, cases, has_kafka: true }
}

const ALL: &[Vectors] = &[
    recorded("cooperative-sticky", 45),
    vectors("copartition", "copartition", 10),
    vectors("lag-aware", "lag-aware", 12),
    vectors("rack-aware-range", "rack-aware", 23),
    vectors("range", "range", 21),
    vectors("redundant", "redundant", 10),
    vectors("roundrobin", "roundrobin", 20),
    vectors("single-writer", "single-writer", 10),
    recorded("sticky", 40),
    recorded("uniform", 17),
    vectors("weighted", "weighted", 8),
];

/// Files whose cases take a form of their own, and the test that runs them.
const OTHER_FORMS: [&str; 1] = ["connect"];

/// Where divvy's answer under `compat` is not Kafka's, and why.
const NOT_AS_KAFKA: &[(&str, &str)] = &[
    // A claim of an older generation is no ownership (KIP-429); Kafka hands the partition to it while its owner still runs it.
    ("cooperative-sticky", "six-partitions-three-generations-uneven-interest"),
    ("cooperative-sticky", "conflicting-older-generation-uneven-interest"),
];

fn cases(file: &str) -> Vec<Case> {
    let path = root().join("tests/vectors").join(format!("{file}.json"));
    read_cases(serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).unwrap()
}

fn all_cases() -> impl Iterator<Item = Case> {
    ALL.iter().flat_map(|vectors| cases(vectors.file))
}

#[test]
fn every_file_of_vectors_has_a_test() {
    let entries = fs::read_dir(root().join("tests/vectors")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    files.sort();
    let mut known: Vec<_> = ALL.iter().map(|vectors| vectors.file).chain(OTHER_FORMS).collect();
    known.sort_unstable();
    assert_eq!(files, known);
}

/// Runs the cases of every assignor that there is, natively and in the sandbox.
fn each_place(failures: &mut Vec<String>, mut check: impl FnMut(&Vectors, &Case, &dyn Assignor) -> Result<(), String>) {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    for vectors in ALL {
        let Some(native) = find(vectors.assignor) else { continue };
        let module = module(&sandbox, vectors.assignor);
        for case in cases(vectors.file) {
            for (place, assignor) in [("natively", &native as &dyn Assignor), ("in the sandbox", &*module)] {
                if let Err(differs) = check(vectors, &case, assignor) {
                    failures.push(format!("{}, {}, {place}: {differs}", vectors.file, case.name));
                }
            }
        }
    }
}

#[test]
fn all_vectors_hold_natively_and_in_the_sandbox() {
    let (mut failures, mut run) = (Vec::new(), 0);
    each_place(&mut failures, |_, case, assignor| {
        run += 1;
        case.check(assignor)
    });
    assert!(failures.is_empty(), "{} of {run} failed:\n{}", failures.len(), failures.join("\n"));
    let there = ALL.iter().filter(|vectors| find(vectors.assignor).is_some());
    assert_eq!(run, there.map(|vectors| 2 * vectors.cases).sum::<usize>());
    assert!(run >= 2 * 64, "only {run} cases were run");
}

#[test]
fn under_compat_the_answers_are_kafkas_where_they_are_recorded() {
    let (mut failures, mut run) = (Vec::new(), 0);
    each_place(&mut failures, |vectors, case, assignor| {
        let is_excused = NOT_AS_KAFKA.contains(&(vectors.file, &case.name));
        if !vectors.has_kafka || is_excused {
            return Ok(());
        }
        run += usize::from(case.is_recorded());
        case.as_kafka().check(assignor)
    });
    assert!(failures.is_empty(), "{} of {run} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn what_is_not_as_in_kafka_is_recorded_at_all() {
    for (file, name) in NOT_AS_KAFKA {
        let case = cases(file).into_iter().find(|case| case.name == *name);
        assert!(case.is_some_and(|case| case.is_recorded()), "{file}: {name}");
    }
}

/// The host's own range stands in for the module: nobody may be able to tell which of them made a plan.
#[test]
fn the_built_in_range_plans_as_the_module_does() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let module = module(&sandbox, "range");
    for case in all_cases() {
        assert_eq!(case.lead(native_range()), case.lead(&*module), "{}", case.name);
    }
}

/// A random group as a case: racks, instance ids, unequal and repeated subscriptions, topics that do not exist.
fn any_case() -> impl Strategy<Value = Value> {
    let rack = || prop::sample::select(vec!["r1", "r2", "r3"]);
    let topics = prop::collection::vec((0usize..9, prop::collection::vec(rack(), 1..3)), 1..6);
    let topics = topics.prop_map(|topics| {
        let topic = |(index, (partitions, racks)): (usize, (usize, Vec<&str>))| {
            let racks: Vec<Vec<&str>> = (0..partitions).map(|at| vec![racks[at % racks.len()]]).collect();
            (format!("t{index}"), json!({ "partitions": partitions, "racks": racks }))
        };
        topics.into_iter().enumerate().map(topic).collect::<serde_json::Map<_, _>>()
    });
    let reads = prop::collection::vec(0usize..7, 0..8);
    let members = prop::collection::vec((reads, prop::option::of(rack()), any::<bool>()), 0..9).prop_map(|members| {
        let member = |(index, (reads, rack, is_static)): (usize, (Vec<usize>, Option<&str>, bool))| {
            let reads: Vec<_> = reads.into_iter().map(|topic| format!("t{topic}")).collect();
            let instance = is_static.then(|| format!("i{}", 20 - index));
            json!({ "id": format!("m{index}"), "topics": reads, "rack": rack, "instance_id": instance })
        };
        members.into_iter().enumerate().map(member).collect::<Vec<_>>()
    });
    (topics, members).prop_map(|(topics, members)| json!({ "topics": topics, "members": members }))
}

fn read(case: Value) -> Case {
    read_cases(case).unwrap().remove(0)
}

/// 200 partitions, and 20 members each of which reads all topics but one; they had these shares last.
fn all_but_one(last: &Shares) -> Case {
    let topics: serde_json::Map<_, _> = (0..20).map(|at| (format!("t{at}"), json!({ "partitions": 10 }))).collect();
    let member = |index: usize| {
        let reads: Vec<_> = (0..20).filter(|at| *at != index).map(|at| format!("t{at}")).collect();
        let id = format!("m{index:02}");
        let owned = last.get(&id).cloned().unwrap_or_default();
        json!({ "id": id, "topics": reads, "owned": owned, "generation": 4 })
    };
    read(json!({ "topics": topics, "members": (0..20).map(member).collect::<Vec<_>>() }))
}

#[test]
fn b38_a_plan_made_of_its_own_outcome_moves_nothing() {
    for name in SOLE_OWNERS.into_iter().chain(["copartition", "redundant"]) {
        let module = native(name);
        let plan = |last: &Shares| shares(&all_but_one(last).lead(&module).expect(name)).expect(name);
        let first = plan(&Shares::new());
        assert_eq!(plan(&first), first, "{name}");
    }
}

proptest! {
    #[test]
    fn the_built_in_range_plans_as_the_crate_does(case in any_case()) {
        let case = read(case);
        prop_assert_eq!(case.lead(native_range()), case.lead(&native("range")));
    }

    /// `lead` has judged what it gives back, so to get a plan at all is half of the law.
    #[test]
    fn every_group_gets_a_plan_whatever_the_order_of_its_members(case in any_case(), turn in 0usize..9) {
        let mut turned = case.clone();
        let members = turned["members"].as_array_mut().unwrap();
        let turn = turn % members.len().max(1);
        members.rotate_left(turn);
        for name in SOLE_OWNERS.into_iter().chain(["copartition", "redundant"]) {
            let plan = read(case.clone()).lead(&native(name));
            prop_assert!(plan.is_ok(), "{}: {:?}", name, plan);
            prop_assert_eq!(plan, read(turned.clone()).lead(&native(name)));
        }
    }
}

fn lead_writers(assignor: &dyn Assignor, memo: Option<&[u8]>, generation: i32, ids: &[&str]) -> Plan {
    let manifest = assignor.manifest();
    let metadata = Candidate::default().encode();
    let members: Vec<_> = ids
        .iter()
        .map(|id| MemberInput { id: (*id).into(), instance: None, metadata: metadata.clone().into() })
        .collect();
    let input = LeaderInput {
        group: &"ledger".into(),
        generation: Generation(generation),
        protocol: &manifest.protocol(),
        mode: manifest.mode_under(&manifest.protocol(), None),
        protocol_type: &manifest.protocol_type(),
        members: &members,
        topics: &TopicTable::default(),
        columns: &[],
        config: &Value::Null,
        context: None,
        memo,
        now_ms: 0,
        budget_ms: Duration::from_secs(1),
    };
    lead(assignor, &input).unwrap()
}

fn active(plan: &Plan) -> Vec<(String, i32)> {
    let roles = plan.states.iter().map(|(id, state)| (id, Role::decode(state).unwrap()));
    roles.filter(|(_, role)| role.active).map(|(id, role)| (id.to_string(), role.epoch)).collect()
}

#[test]
fn one_writer_is_active_and_stays_so_until_it_is_gone() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let module = module(&sandbox, "active-standby");
    for assignor in [&native("active-standby") as &dyn Assignor, &*module] {
        let first = lead_writers(assignor, None, 1, &["w-2", "w-3"]);
        let joined = lead_writers(assignor, first.memo.as_deref(), 2, &["w-1", "w-2", "w-3"]);
        let left = lead_writers(assignor, joined.memo.as_deref(), 3, &["w-1", "w-3"]);
        assert_eq!(active(&first), [("w-2".to_owned(), 1)]);
        assert_eq!(active(&joined), [("w-2".to_owned(), 2)]);
        assert_eq!(active(&left), [("w-1".to_owned(), 3)]);
    }
}
