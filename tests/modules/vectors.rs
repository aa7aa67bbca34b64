//! Every case of every file in `tests/vectors`, natively and through the sandbox; a file belongs to the assignor of its name.

use std::fs;
use std::path::{Path, PathBuf};
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

use crate::native::native;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn module(sandbox: &Sandbox, name: &str) -> Arc<Module> {
    let path = root().join("assignors").join(format!("{name}.wasm"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run cargo xtask guests", path.display()));
    sandbox.load(&bytes, &path).unwrap()
}

fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("tests/vectors")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

fn cases(file: &Path) -> Vec<Case> {
    read_cases(serde_json::from_slice(&fs::read(file).unwrap()).unwrap()).unwrap()
}

fn assignor_of(file: &Path) -> &str {
    match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("rack-aware-range") => "rack-aware",
        Some(name) => name,
        None => panic!("{} has no name", file.display()),
    }
}

#[test]
fn all_vectors_hold_natively_and_in_the_sandbox() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let mut failures = Vec::new();
    let mut run = 0;
    for file in files() {
        let name = assignor_of(&file);
        let (native, module) = (native(name), module(&sandbox, name));
        for case in cases(&file) {
            for (place, assignor) in [("natively", &native as &dyn Assignor), ("in the sandbox", &*module)] {
                run += 1;
                if let Err(differs) = case.check(assignor) {
                    failures.push(format!("{name}, {}, {place}: {differs}", case.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {run} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(run >= 2 * 64, "only {run} cases were run");
}

/// The host's own range stands in for the module: nobody may be able to tell which of them made a plan.
#[test]
fn the_built_in_range_plans_as_the_module_does() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let module = module(&sandbox, "range");
    for case in files().iter().flat_map(|file| cases(file)) {
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
    for name in ["range", "roundrobin", "rack-aware"] {
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
        for name in ["range", "roundrobin", "rack-aware"] {
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
