//! Writes a beginning for each target's corpus: real encodings of every message, subscription and field.
//! `cargo run --example seeds FOLDER`, from this crate's folder.
#![allow(dead_code, reason = "of the laws' tables only the bodies are needed here")]

use std::fs;
use std::path::{Path, PathBuf};

use bytes::{Bytes, BytesMut};
use divvy::assignor::capture::{Capture, LedBy, Tape};
use divvy::assignor::{
    Assignor, Budget, CallError, Column, Export, FaultKind, LeaderInput, Manifest, MemberInput, Named, Otherwise,
    Service, native_range,
};
use divvy::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};
use divvy::embedded::single_writer::{Candidate, Role};
use divvy::embedded::user_data::{Facts, Last, UserData};
use divvy::ids::{Digest, Generation, GroupId, Mode, Protocol, ProtocolType, TopicName};
use divvy::topics::{Topic, TopicTable};
use divvy::wire::api::{SERVED, served};
use divvy::wire::divvy::{FaultTag, JoinRequestTag, JoinResponseTag, SyncRequestTag};
use divvy::wire::header::RequestHeader;
use divvy::wire::{Message, Tags, Text, Writer, messages};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

#[macro_use]
#[path = "../../laws/schema.rs"]
mod schema;

/// The laws' tables name their types from here.
mod wire {
    pub use divvy::wire::{ErrorCode, Text};
}

/// Longer seeds teach a fuzzer nothing that shorter ones do not.
const SEED_MAX: usize = 400;

fn main() {
    let root = PathBuf::from(std::env::args().nth(1).expect("the folder to write into"));
    let mut runner = TestRunner::deterministic();
    messages(&root, &mut runner);
    frames(&root);
    embedded(&root);
    tagged(&root);
    captures(&root);
}

fn put(root: &Path, target: &str, name: &str, bytes: &[u8]) {
    let folder = root.join(target);
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join(name), bytes).expect("the seed can be written");
}

fn messages(root: &Path, runner: &mut TestRunner) {
    macro_rules! seeds {
        ($($module:ident: $request:ident $response:ident;)*) => {
            $(seed::<messages::$request>(root, runner, 0, <schema::$module::$request as schema::Described>::described());
            seed::<messages::$response>(root, runner, 1, <schema::$module::$response as schema::Described>::described());)*
        };
    }
    every_message!(seeds);
}

/// One body for each version.
fn seed<M: Message>(root: &Path, runner: &mut TestRunner, way: u8, kind: schema::Type) {
    let served = served(M::KEY);
    for number in served.versions.min..=served.versions.max {
        let version = schema::Version { number, flexible: number >= served.flexible_from };
        let bodies = schema::body(&kind, version);
        let drawn = (0..30).map(|_| bodies.new_tree(runner).expect("nothing is filtered").current());
        let Some(body) = drawn.filter(|body| body.len() <= SEED_MAX).max_by_key(Vec::len) else { continue };
        let key = M::KEY.code().to_be_bytes();
        let bytes = [&[way], &key[..], &[u8::try_from(number).expect("versions are small")], &body[..]].concat();
        put(root, "request", &format!("{}-{way}-{number}", M::KEY.name()), &bytes);
    }
}

fn header(key: i16, version: i16, tags: Tags) -> Vec<u8> {
    let header = RequestHeader {
        api_key: key,
        api_version: version,
        correlation_id: 7,
        client_id: Some(Text::from("rdkafka")),
        tags,
    };
    let mut out = BytesMut::new();
    header.encode(&mut Writer::new(&mut out)).expect("a header has a form");
    out.to_vec()
}

fn frames(root: &Path) {
    for served in SERVED {
        let header = header(served.key.code(), served.versions.max, Tags::default());
        let frame = [&(header.len() as i32).to_be_bytes()[..], &header].concat();
        put(root, "frame", served.key.name(), &[&[0, 3][..], &frame, &frame].concat());
    }
    let first: [&[u8]; 5] =
        [b"\x16\x03\x01\x05\xef", b"GET / HTTP/1.1", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\x20\0\0\0\x0b"];
    for (number, bytes) in first.iter().enumerate() {
        put(root, "frame", &format!("first-{number}"), &[&[0, 2][..], bytes].concat());
    }
}

fn embedded(root: &Path) {
    let owned = || vec![TopicPartitions { topic: "clicks", partitions: [0, 3].into_iter().collect() }];
    let data = UserData {
        facts: Facts::from([("rack".to_owned(), "eu-1a".into()), ("weight".to_owned(), 2.into())]),
        last: Some(Last { generation: 7, owned: owned().into() }),
        x: Some(b"own"),
    };
    let data = data.encode();
    for version in 0..=4_i16 {
        let tail =
            Tail { user_data: Some(&data), owned: owned().into(), generation: 7, rack: Some("eu-1a"), note: None };
        let bytes = Subscription { version, topics: vec!["clicks", "views"], tail }.encode();
        put(root, "embedded", &format!("subscription-{version}"), &[&[0], &bytes[..]].concat());
    }
    put(
        root,
        "embedded",
        "assignment",
        &[&[1], &Assignment { topics: owned(), user_data: None }.encode()[..]].concat(),
    );
    put(root, "embedded", "user-data", &[&[2], &data[..]].concat());
    let candidate = Candidate { facts: Facts::from([("zone".to_owned(), "a".into())]) };
    put(root, "embedded", "candidate", &[&[3], &candidate.encode()[..]].concat());
    let role = Role { active: true, epoch: 12, active_member: "w-1".to_owned() };
    put(root, "embedded", "role", &[&[4], &role.encode()[..]].concat());
}

fn tagged(root: &Path) {
    let digest = Digest([7; 32]);
    let mut tags = Tags::default();
    JoinRequestTag { modules: vec![(Protocol::from("range"), digest)] }.put(&mut tags);
    let memo = Some(Bytes::from_static(b"memo"));
    let suspended = vec![(Protocol::from("p"), 1, "trap".to_owned())];
    JoinResponseTag { settings: "{}".to_owned(), settings_hash: 1, suspended, memo: memo.clone() }.put(&mut tags);
    let fault = FaultTag {
        protocol: Protocol::from("p"),
        digest: Some(digest),
        kind: "trap".to_owned(),
        message: "why".to_owned(),
    };
    let topics = vec![(TopicName::from("t"), 3)];
    let sync = SyncRequestTag { topics, memo, fault: Some(fault), digest: Some(digest), ..SyncRequestTag::default() };
    sync.put(&mut tags);
    for (tag, bytes) in tags.iter() {
        let kind = u8::try_from(tag - 17407).expect("they are neighbours");
        put(root, "tagged", &format!("field-{tag}"), &[&[kind], &bytes[..]].concat());
    }
    put(root, "tagged", "header", &[&[0], &header(12, 4, tags)[..]].concat());
}

/// What range answers, or a fault of each kind.
struct Asked(Option<FaultKind>);

impl Assignor for Asked {
    fn manifest(&self) -> &Manifest {
        native_range().manifest()
    }

    fn digest(&self) -> Option<Digest> {
        self.0.map(|_| Digest([7; 32]))
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        match self.0 {
            Some(kind) => Err(CallError { code: Some("why".to_owned()), ..CallError::new(kind, "on purpose") }),
            None => native_range().call(export, request, budget),
        }
    }
}

/// Bodies of captures, and whole files.
fn captures(root: &Path) {
    use FaultKind::{Deadline, GuestError, InvalidReply, Trap};
    for fault in [None, Some(GuestError), Some(Trap), Some(Deadline), Some(InvalidReply)] {
        for (number, config) in [Value::Null, json!({ "copies": 2, "of": [1.5, null] })].iter().enumerate() {
            for (way, mode) in [Mode::Eager, Mode::Cooperative].into_iter().enumerate() {
                let capture = captured(&Asked(fault), config, mode);
                let file = capture.write();
                let name = format!("{}-{number}-{way}", fault.map_or("plan", FaultKind::name));
                put(root, "capture", &name, &file[28..]);
                put(root, "capture", &format!("{name}-whole"), &file);
            }
        }
    }
}

fn captured(strategy: &Asked, config: &Value, mode: Mode) -> Capture {
    let (group, protocol, kind) = (GroupId::from("g"), Protocol::from("range"), ProtocolType::from("consumer"));
    let owned = vec![TopicPartitions { topic: "t", partitions: [1].into_iter().collect() }];
    let tail = Tail { owned: owned.into(), generation: 6, rack: Some("b"), ..Tail::default() };
    let member = |id: &str, tail| MemberInput {
        id: id.into(),
        instance: None,
        metadata: Subscription { version: 3, topics: vec!["t"], tail }.encode().into(),
    };
    let racks = vec![vec!["a".to_owned()], vec!["b".to_owned()]];
    let configs = [("range".to_owned(), config.clone())].into();
    let tape = Tape::new(|| 0);
    let led = Service {
        input: LeaderInput {
            group: &group,
            generation: Generation(7),
            protocol: &protocol,
            mode,
            protocol_type: &kind,
            members: &[member("a", Tail::default()), member("b", tail)],
            topics: &TopicTable([("t".into(), Topic { partitions: 2, racks })].into()),
            columns: &[Column { name: "lag".into(), values: [("t".into(), vec![3, 4])].into(), unknown: 0 }],
            config: &Value::Null,
            context: None,
            memo: Some(b"memo"),
            now_ms: 1,
            budget_ms: std::time::Duration::from_secs(1),
        },
        chosen: Named { protocol: &protocol, strategy: Some(strategy) },
        rests: None,
        fallback: None,
        configs: &configs,
        last_plan: None,
        lacks: &|_| String::new(),
        otherwise: Otherwise::Error,
        tape: Some(&tape),
    }
    .run();
    tape.captures(LedBy::Leader, &led).remove(0)
}
