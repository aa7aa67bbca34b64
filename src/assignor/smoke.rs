//! Small made-up groups that a module must get through before it serves a real one.

use std::time::Duration;

use bytes::Bytes;
use divvy_guest::abi::host::UserDataRequest;
use serde_json::Value;

use super::manifest::Shape;
use super::{Assignor, Call, CallError, FaultKind, LeaderInput, Manifest, MemberInput, Plan, lead};
use crate::embedded::consumer::{Subscription, Tail};
use crate::embedded::single_writer::Candidate;
use crate::ids::{Generation, GroupId, MemberId, TopicName};
use crate::topics::{Topic, TopicTable};

/// Members and topics of each group; every topic has some partitions.
const GROUPS: [(usize, usize); 5] = [(0, 3), (1, 3), (3, 3), (3, 0), (1000, 100)];

/// A group in which a strategy has something to do.
const A_FEW: (usize, usize) = (3, 3);

/// One in which it has nothing.
const NOBODY: (usize, usize) = (0, 0);

/// How strategies built with divvy's SDK say that it is the configuration.
pub const BAD_CONFIG: &str = "bad_config";

/// Partitions of each topic: not a multiple of the members of any group.
const PARTITIONS: u32 = 10;

/// The requests: nobody, one, a few, nothing to do, and many members with many topics.
pub fn smoke_requests(manifest: &Manifest) -> Vec<Vec<u8>> {
    GROUPS.into_iter().map(|(members, topics)| request(manifest, members, topics)).collect()
}

/// What the strategy of a made-up member of these topics is asked when it joins.
pub fn smoke_user_data(manifest: &Manifest, topics: &[&str], facts: &Value, last_state: Option<&[u8]>) -> Vec<u8> {
    let mut request = Vec::new();
    UserDataRequest {
        group: "smoke-test",
        protocol: manifest.protocol().as_str(),
        config: &[],
        topics,
        facts: &rmp_serde::to_vec(facts).unwrap_or_default(),
        last_state,
        now_ms: 0,
    }
    .write(&mut request);
    request
}

/// Beside them, the request of a group in which nobody reads everything: an author's tools ask it, a member does not.
pub fn mixed_request(manifest: &Manifest) -> Vec<u8> {
    let (members, topics) = A_FEW;
    with_readers(manifest, members, topics, all_but_one, &Value::Null, |input| prepared(manifest, input))
}

/// What became of a made-up group.
#[derive(Debug)]
pub struct SmokePlan {
    /// How many members it has.
    pub members: usize,
    /// How many topics there are.
    pub topics: usize,
    /// Whether each member reads all but one of them, another one each; else every member reads every topic.
    pub is_mixed: bool,
    /// The plan that a leader would serve, or why it would serve none.
    pub plan: Result<Plan, CallError>,
}

/// Has the strategy plan each of the groups, as their leader would, and one in which nobody reads everything: its plans are
/// held to every rule.
pub fn smoke_plans(strategy: &dyn Assignor) -> Vec<SmokePlan> {
    let manifest = strategy.manifest();
    let ask = |(members, topics)| {
        let plan = with_group(manifest, members, topics, &Value::Null, |input| lead(strategy, input));
        SmokePlan { members, topics, is_mixed: false, plan }
    };
    let (members, topics) = A_FEW;
    let plan = with_readers(manifest, members, topics, all_but_one, &Value::Null, |input| lead(strategy, input));
    let mixed = SmokePlan { members, topics, is_mixed: true, plan };
    GROUPS.into_iter().map(ask).chain([mixed]).collect()
}

/// What a strategy says against its configuration, if it does: it is asked about a group of a few, and about one without
/// members and topics, where nothing but the configuration can be wrong. Blocks for as long as the strategy runs.
pub fn refusal_of_config(strategy: &dyn Assignor, config: &Value) -> Option<CallError> {
    let ask = |(members, topics), config| {
        with_group(strategy.manifest(), members, topics, config, |input| lead(strategy, input)).err()
    };
    let says_no = |error: &CallError| error.kind == FaultKind::GuestError;
    let of_config = |error: &CallError| says_no(error) && error.code.as_deref() == Some(BAD_CONFIG);
    if let Some(no) = ask(A_FEW, config).filter(of_config) {
        return Some(no);
    }
    let no = ask(NOBODY, config).filter(says_no)?;
    // What it says of none as well may be a word about groups without members.
    (*config != Value::Null && ask(NOBODY, &Value::Null).is_none()).then_some(no)
}

fn request(manifest: &Manifest, members: usize, topics: usize) -> Vec<u8> {
    with_group(manifest, members, topics, &Value::Null, |input| prepared(manifest, input))
}

fn prepared(manifest: &Manifest, input: &LeaderInput<'_>) -> Vec<u8> {
    let request = Call::prepare(manifest, input).map(|call| call.request().to_vec());
    request.expect("the groups are within every limit")
}

/// Each member reads all topics but the one of its own number.
fn all_but_one(member: usize, topic: usize) -> bool {
    member != topic
}

fn with_group<T>(
    manifest: &Manifest,
    members: usize,
    topics: usize,
    config: &Value,
    ask: impl FnOnce(&LeaderInput<'_>) -> T,
) -> T {
    with_readers(manifest, members, topics, |_, _| true, config, ask)
}

fn with_readers<T>(
    manifest: &Manifest,
    members: usize,
    topics: usize,
    reads: fn(usize, usize) -> bool,
    config: &Value,
    ask: impl FnOnce(&LeaderInput<'_>) -> T,
) -> T {
    let racks: Vec<_> = (0..PARTITIONS).map(|partition| vec![format!("rack-{}", partition % 3)]).collect();
    let table = TopicTable(
        (0..topics)
            .map(|topic| {
                let racks = racks.clone();
                (TopicName::from(format!("topic-{topic}")), Topic { partitions: PARTITIONS, racks })
            })
            .collect(),
    );
    let names: Vec<&str> = table.0.keys().map(TopicName::as_str).collect();
    let members: Vec<_> = (0..members)
        .map(|member| {
            let read = (0..names.len()).filter(|topic| reads(member, *topic));
            let read: Vec<&str> = read.map(|topic| names[topic]).collect();
            let metadata = metadata(manifest, &read, &format!("rack-{}", member % 3));
            MemberInput { id: MemberId::from(format!("member-{member}")), instance: None, metadata }
        })
        .collect();
    let input = LeaderInput {
        group: &GroupId::from("smoke-test"),
        generation: Generation(1),
        protocol: &manifest.protocol(),
        mode: manifest.mode_under(&manifest.protocol(), None),
        protocol_type: &manifest.protocol_type(),
        members: &members,
        topics: &table,
        columns: &[],
        config,
        context: None,
        memo: None,
        now_ms: 0,
        budget_ms: Duration::from_secs(1),
    };
    ask(&input)
}

/// What a member of the manifest's type says of itself; a type that is not known here gets no bytes.
fn metadata(manifest: &Manifest, topics: &[&str], rack: &str) -> Bytes {
    match (manifest.shape, manifest.protocol_type.as_str()) {
        (Shape::Partitions, _) | (_, "consumer") => {
            let tail = Tail { rack: Some(rack), ..Tail::default() };
            Subscription { version: 3, topics: topics.to_vec(), tail }.encode().into()
        }
        (_, "single-writer") => Candidate::default().encode().into(),
        _ => Bytes::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::{Budget, Export, native_range};
    use crate::ids::Digest;

    #[test]
    fn the_host_s_own_strategy_gets_through() {
        let range = native_range();
        let budget = Budget { deadline: Duration::from_secs(1), max_output: usize::MAX };
        let requests = smoke_requests(range.manifest());
        assert_eq!(requests.len(), GROUPS.len());
        for request in requests {
            range.call(Export::Assign, &request, budget).unwrap();
        }
    }

    /// Range, as if everybody read everything.
    struct Careless;

    impl Assignor for Careless {
        fn manifest(&self) -> &Manifest {
            native_range().manifest()
        }

        fn digest(&self) -> Option<Digest> {
            None
        }

        fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
            let alike = smoke_requests(self.manifest());
            let asked = alike.iter().find(|it| *it == request).unwrap_or(&alike[2]);
            native_range().call(export, asked, budget)
        }
    }

    #[test]
    fn a_strategy_that_does_not_look_at_who_reads_what_is_found_out() {
        assert!(smoke_plans(native_range()).iter().all(|group| group.plan.is_ok()));
        let groups = smoke_plans(&Careless);
        let broken: Vec<_> =
            groups.iter().filter_map(|group| Some((group.is_mixed, group.plan.as_ref().err()?))).collect();
        let [(true, error)] = broken.as_slice() else { panic!("{broken:?}") };
        assert_eq!(error.kind, FaultKind::InvalidAssignment);
        assert!(error.message.contains("which does not subscribe to it"), "{error}");
    }
}
