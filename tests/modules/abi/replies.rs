//! The replies of `tests/abi/bad-replies`: what a host must not believe, and what it must not mind.

use divvy_guest::abi::host::{Expected, Reply, parse_reply};
use divvy_guest::abi::msgpack::{Malformed, Writer};
use serde_json::{Value, json};

use super::{folder, form, names, read, read_json};

/// All are replies to a request with so many.
const MEMBERS: usize = 2;
const PARTITIONS: usize = 3;

/// A good plan's parts, and what may be wrong with one of them.
struct Parts {
    items: usize,
    status: u64,
    plan: usize,
    copies: u64,
    owners: Vec<u8>,
    user_data: Option<usize>,
    memo: Option<usize>,
    lines: usize,
    tail: bool,
}

const GOOD: Parts = Parts {
    items: 3,
    status: 0,
    plan: 5,
    copies: 1,
    owners: Vec::new(),
    user_data: None,
    memo: None,
    lines: 0,
    tail: false,
};

impl Parts {
    fn bytes(self) -> Vec<u8> {
        let owners = if self.owners.is_empty() { vec![0, 0, 1, 0, 0xff, 0xff] } else { self.owners };
        let mut bytes = Vec::new();
        let mut to = Writer::new(&mut bytes);
        let more = usize::from(self.tail);
        to.array(self.items + more);
        to.unsigned(self.status);
        to.array(self.plan + more);
        to.unsigned(self.copies);
        to.binary(&owners);
        match self.user_data {
            None => to.nil(),
            Some(members) => {
                to.array(members);
                (0..members).for_each(|_| to.binary(b"u"));
            }
        }
        to.optional_binary(self.memo.map(|length| vec![1; length]).as_deref());
        to.nil();
        if self.tail {
            to.map(1);
            to.text("later");
            to.nil();
        }
        to.array(self.lines);
        for _ in 0..self.lines {
            to.array(2);
            to.text("info");
            to.text("a line");
        }
        if self.tail {
            to.array(1);
            to.unsigned(7);
        }
        bytes
    }
}

#[test]
fn the_host_believes_no_malformed_reply() {
    let good = GOOD.bytes();
    let refusal = b"\x93\x01\x94\xa1x\xa1y\xc2\xc0\x90";
    let changed = |from: &[u8], at: usize, byte: u8| {
        let mut bytes = from.to_vec();
        bytes[at] = byte;
        bytes
    };
    let huge = [&good[..4], &[0xc6, 0xff, 0xff, 0xff, 0xff], &good[6..]].concat();
    let cases: Vec<(&str, &str, Vec<u8>, bool)> = vec![
        ("good", "a plan: the owners 0, 1 and nobody", good.clone(), true),
        ("refusal", "a refusal", refusal.to_vec(), true),
        ("user-data", "user data for each member", Parts { user_data: Some(2), ..GOOD }.bytes(), true),
        ("copies", "two owner maps", Parts { copies: 2, owners: vec![0; 12], ..GOOD }.bytes(), true),
        ("memo", "the longest memo", Parts { memo: Some(65_536), ..GOOD }.bytes(), true),
        ("lines", "more lines than a host keeps", Parts { lines: 100, ..GOOD }.bytes(), true),
        ("tails", "items that a later minor version may append", Parts { tail: true, ..GOOD }.bytes(), true),
        ("empty", "no bytes", Vec::new(), false),
        ("cut", "the last byte is missing", good[..good.len() - 1].to_vec(), false),
        ("longer", "a byte behind the reply", [&good[..], &[0]].concat(), false),
        ("status", "a status that there is not", Parts { status: 2, ..GOOD }.bytes(), false),
        ("no-array", "a map", changed(&good, 0, 0x83), false),
        ("few-items", "two items", changed(&good, 0, 0x92), false),
        ("owners-short", "an owner too few", Parts { owners: vec![0; 4], ..GOOD }.bytes(), false),
        ("owners-long", "an owner too many", Parts { owners: vec![0; 8], ..GOOD }.bytes(), false),
        ("owners-odd", "half an owner too much", Parts { owners: vec![0; 7], ..GOOD }.bytes(), false),
        ("owners-huge", "4 GiB of owners that are not there", huge, false),
        ("owners-text", "owners that are no binary data", changed(&good, 4, 0xd9), false),
        ("copies-none", "no copies", Parts { copies: 0, ..GOOD }.bytes(), false),
        ("copies-many", "65,536 copies", Parts { copies: 65_536, ..GOOD }.bytes(), false),
        ("copies-missing", "two copies, one owner map", Parts { copies: 2, ..GOOD }.bytes(), false),
        ("user-data-few", "user data for one of two members", Parts { user_data: Some(1), ..GOOD }.bytes(), false),
        ("user-data-many", "user data for three of two members", Parts { user_data: Some(3), ..GOOD }.bytes(), false),
        ("memo-long", "a memo a byte too long", Parts { memo: Some(65_537), ..GOOD }.bytes(), false),
        (
            "lines-huge",
            "4,294,967,295 lines",
            [&good[..good.len() - 1], &[0xdd, 0xff, 0xff, 0xff, 0xff]].concat(),
            false,
        ),
        ("refusal-few", "a refusal without its member", changed(refusal, 2, 0x93), false),
        ("refusal-code", "a refusal whose code is a number", changed(refusal, 3, 7), false),
        ("utf-8", "a message that is no text", changed(refusal, 6, 0xff), false),
    ];
    let place = folder().join("bad-replies");
    let of_partitions = cases.into_iter().map(|(name, what, bytes, accepted)| (name, "", what, bytes, accepted));
    for (name, export, what, bytes, accepted) in of_partitions.chain(others()) {
        let beside = place.join(name);
        let bytes = read(&beside.with_extension("msgpack"), || bytes);
        read_json(&beside.with_extension("json"), || said(export, what, &bytes, accepted));
    }
    for name in names(&place) {
        let beside = place.join(&name);
        let bytes = read(&beside.with_extension("msgpack"), Vec::new);
        let said = read_json(&beside.with_extension("json"), || json!({}));
        match parse(said["export"].as_str().unwrap_or_default(), &bytes) {
            Ok(_) => assert_eq!(said["accepted"], true, "{name} is believed"),
            Err(malformed) => assert_eq!(said["wanted"], malformed.wanted, "{name}: {malformed}"),
        }
    }
}

/// Replies to the other exports and of the other shape, with the export's name.
fn others() -> Vec<(&'static str, &'static str, &'static str, Vec<u8>, bool)> {
    let states = b"\x93\x00\x93\x92\xc4\x01a\xc4\x00\xc0\xc0\x90";
    let with = |at: usize, byte: u8| {
        let mut bytes = states.to_vec();
        bytes[at] = byte;
        bytes
    };
    let memo =
        |length: u32| [&states[..9], &[0xc6], &length.to_be_bytes(), &vec![1; length as usize], &[0xc0, 0x90]].concat();
    let plan = GOOD.bytes();
    let of = |name, what, bytes: &[u8], accepted| (name, "states", what, bytes.to_vec(), accepted);
    let of_user_data = |name, what, bytes: &[u8], accepted| (name, "user-data", what, bytes.to_vec(), accepted);
    let of_check = |name, what, bytes: &[u8], accepted| (name, "check", what, bytes.to_vec(), accepted);
    vec![
        of("states", "a state for each member, one without bytes", states, true),
        of(
            "states-tails",
            "items that a later minor version may append",
            b"\x94\x00\x94\x92\xc4\x01a\xc4\x00\xc0\xc0\x90\x90\x07",
            true,
        ),
        of("states-memo", "the longest memo", &memo(65_536), true),
        of("states-memo-long", "a memo a byte too long", &memo(65_537), false),
        of("states-cut", "the last byte is missing", &states[..states.len() - 1], false),
        of("states-longer", "a byte behind the reply", &[&states[..], &[0]].concat(), false),
        of("states-few", "a state for one of two members", b"\x93\x00\x93\x91\xc4\x01a\xc0\xc0\x90", false),
        of(
            "states-many",
            "states for three of two members",
            b"\x93\x00\x93\x93\xc4\x00\xc4\x00\xc4\x00\xc0\xc0\x90",
            false,
        ),
        of("states-text", "a state that is a text", &with(4, 0xd9), false),
        of("states-nil", "a state that is not there", b"\x93\x00\x93\x92\xc4\x01a\xc0\xc0\xc0\x90", false),
        of("states-huge", "4,294,967,295 states", b"\x93\x00\x93\xdd\xff\xff\xff\xff\xc4\x00\xc0\xc0\x90", false),
        of("states-few-items", "a plan of two items", &with(2, 0x92), false),
        of("states-owners", "a plan of partitions", &plan, false),
        of_user_data("data", "user data", b"\x93\x00\xc4\x01u\x90", true),
        of_user_data("data-none", "no user data", b"\x93\x00\xc0\x90", true),
        of_user_data("data-refusal", "a refusal", b"\x93\x01\x94\xa1x\xa1y\xc2\xc0\x90", true),
        of_user_data("data-text", "user data that is a text", b"\x93\x00\xa1u\x90", false),
        of_user_data("data-long", "user data that is longer than the reply", b"\x93\x00\xc4\xffu\x90", false),
        of_user_data("data-longer", "a byte behind the reply", b"\x93\x00\xc0\x90\x00", false),
        of_check("checked", "a plan that is good", b"\x93\x00\xc0\x90", true),
        of_check("checked-body", "a body that nobody looks at", b"\x93\x00\x81\xa1x\x92\x01\x02\x90", true),
        of_check("checked-refusal", "a plan that is not", b"\x93\x01\x94\xa1x\xa1y\xc2\x01\x90", true),
        of_check("checked-cut", "a body that is not there", b"\x93\x00", false),
        of_check("checked-status", "a status that there is not", b"\x93\x02\xc0\x90", false),
        of_check("checked-lines", "lines that are no array", b"\x93\x00\xc0\xc0", false),
    ]
}

fn parse<'a>(export: &str, bytes: &'a [u8]) -> Result<Reply<'a>, Malformed> {
    let expected = match export {
        "states" => Expected::States { members: MEMBERS },
        "user-data" => Expected::UserData,
        "check" => Expected::Check,
        _ => Expected::Partitions { members: MEMBERS, partitions: PARTITIONS },
    };
    parse_reply(bytes, expected)
}

/// What stands beside a reply.
fn said(export: &str, what: &str, bytes: &[u8], accepted: bool) -> Value {
    let mut said = json!({ "what": what, "members": MEMBERS, "accepted": accepted });
    match export {
        "" => said["partitions"] = json!(PARTITIONS),
        export => said["export"] = json!(export),
    }
    match parse(export, bytes) {
        Ok(_) if bytes.len() < 200 => said["reply"] = form::shown(bytes),
        Ok(_) => {}
        Err(malformed) => said["wanted"] = json!(malformed.wanted),
    }
    said
}
