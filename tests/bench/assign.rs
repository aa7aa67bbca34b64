//! How long a plan takes: one call of a module beside the same code without a sandbox, and the parts of a leader's whole path.
//!
//! `cargo xtask bench assign` builds the modules and runs it. Every figure is a median of one run on this machine.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::time::{Duration, Instant};

use divvy::assignor::{Assignor, Call, Export, LeaderInput, MemberInput, native_range};
use divvy::embedded::consumer::{Subscription, Tail};
use divvy::ids::{Generation, GroupId, Protocol, ProtocolType, TopicName};
use divvy::topics::{Topic, TopicTable};

fn main() {
    let large = Group::new(500, 2_000, 2_000);
    println!("{:?}", large.path(native_range(), 11));
    let small = Group::new(10, 12, 10);
    println!("{:?}", small.path(native_range(), 1001));
}

struct Group {
    group: GroupId,
    protocol: Protocol,
    protocol_type: ProtocolType,
    members: Vec<MemberInput>,
    topics: TopicTable,
}

#[derive(Debug, Default)]
struct Path {
    decode: Vec<Duration>,
    call: Vec<Duration>,
    verdict: Vec<Duration>,
    encode: Vec<Duration>,
}

impl Group {
    fn new(topics: u32, partitions: u32, members: u32) -> Self {
        let names: Vec<_> = (0..topics).map(|topic| format!("topic-{topic:04}")).collect();
        let metadata =
            Subscription { version: 3, topics: names.iter().map(String::as_str).collect(), tail: Tail::default() }
                .encode();
        let topic = Topic { partitions, racks: Vec::new() };
        Self {
            group: "bench".into(),
            protocol: "range".into(),
            protocol_type: "consumer".into(),
            // Each member's metadata is memory of its own, as it is in a JoinGroup response.
            members: (0..members)
                .map(|member| MemberInput {
                    id: format!("consumer-bench-{member:05}").into(),
                    instance: None,
                    metadata: metadata.clone().into(),
                })
                .collect(),
            topics: TopicTable(names.into_iter().map(|name| (TopicName::from(name), topic.clone())).collect()),
        }
    }

    fn input(&self) -> LeaderInput<'_> {
        LeaderInput {
            group: &self.group,
            generation: Generation(1),
            protocol: &self.protocol,
            protocol_type: &self.protocol_type,
            members: &self.members,
            topics: &self.topics,
            columns: &[],
            config: &serde_json::Value::Null,
            context: None,
            memo: None,
            now_ms: 0,
            budget_ms: Duration::from_secs(1),
        }
    }

    fn path(&self, assignor: &dyn Assignor, rounds: usize) -> [Duration; 5] {
        let input = self.input();
        let mut path = Path::default();
        for _ in 0..rounds {
            let start = Instant::now();
            let call = Call::prepare(assignor.manifest(), &input).unwrap();
            let decoded = Instant::now();
            let reply = assignor.call(Export::Assign, call.request(), call.budget()).unwrap();
            let called = Instant::now();
            let verdict = call.judge(&reply).unwrap();
            let judged = Instant::now();
            let plan = call.plan(&verdict);
            path.encode.push(judged.elapsed());
            path.decode.push(decoded - start);
            path.call.push(called - decoded);
            path.verdict.push(judged - called);
            drop(plan);
        }
        let parts = [path.decode, path.call, path.verdict, path.encode].map(median);
        [parts[0], parts[1], parts[2], parts[3], parts.iter().sum()]
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
