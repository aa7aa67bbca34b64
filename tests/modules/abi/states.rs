//! The requests of `tests/abi/states`: what a strategy of shape `states` is asked.

use divvy_guest::abi::Mode;
use divvy_guest::abi::host::{Head, StateMember, StatesRequest};
use divvy_guest::abi::msgpack::Writer;

use super::cases::{Request, requests};
use super::form;
use super::malformed::{Case, broken, replaced};

/// More members than an array of two bytes of length holds.
const WIDE_MEMBERS: usize = 65_536;

/// Bytes of every kind of wrong UTF-8, between good ones.
pub const NO_TEXT: &[u8] =
    b"a\xffb\xc0\x80c\xe2\x82d\xed\xa0\x80e\xf4\x90\x80\x80f\xc3\xa9\xf0\x9f\x98\x80g\x80\xe2\x82\xac\xf0\x9f\x98";

/// All of them.
pub fn all() -> Vec<Request> {
    requests(good(), bad())
}

/// A map of settings.
pub fn settings(pairs: &[(&str, Setting<'_>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut to = Writer::new(&mut bytes);
    to.map(pairs.len());
    for (name, setting) in pairs {
        to.text(name);
        match setting {
            Setting::Text(text) => to.text(text),
            Setting::Number(number) => to.number(*number),
            Setting::Flag(flag) => to.boolean(*flag),
            Setting::Raw(value) => to.raw(value),
        }
    }
    bytes
}

/// A setting's value.
pub enum Setting<'a> {
    Text(&'a str),
    Number(f64),
    Flag(bool),
    Raw(&'a [u8]),
}

fn member<'a>(id: &'a str, instance_id: Option<&'a str>, metadata: &'a [u8]) -> StateMember<'a> {
    StateMember { id, instance_id, metadata }
}

fn base() -> StatesRequest<'static> {
    let head = Head { group: "g", generation: 1, protocol: "parts@1", ..Head::default() };
    StatesRequest { head, ..StatesRequest::default() }
}

/// With a configuration.
fn set<'a>(request: StatesRequest<'a>, config: &'a [u8]) -> StatesRequest<'a> {
    StatesRequest { head: Head { config, ..request.head }, ..request }
}

fn written(request: StatesRequest<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    request.write(&mut bytes);
    bytes
}

/// A little of all that a request may have.
pub fn everything() -> Vec<u8> {
    let config = settings(&[
        ("depth", Setting::Raw(&[0x92, 0xc0, 0x81, 0xa1, b'x', 0x90])),
        ("explain", Setting::Flag(true)),
        ("again_ms", Setting::Number(1_234.0)),
    ]);
    let members = [
        member("a", None, NO_TEXT),
        member("b", Some("blue"), b"b"),
        member("c", Some("amber"), b"idle"),
        member("d", Some("amber-2"), b""),
        member("größe", None, b"\0\0"),
    ];
    let mode = Mode::Cooperative;
    let head = Head { seed: 0x0123_4567_89ab_cdef, generation: 41, mode, config: &config, ..base().head };
    written(StatesRequest {
        head,
        context: Some(b"\xff{context}"),
        members: &members,
        now_ms: 1_790_000_000_000,
        memo: Some(&[0xc0, 0xff]),
    })
}

fn good() -> Vec<Case> {
    let three = [member("a", None, b"one"), member("b", None, b""), member("c", None, b"three")];
    let idle = [member("a", None, b"idle"), member("b", None, b"busy"), member("c", None, b"idle ")];
    let fixed = [
        member("a", Some("z"), b"5"),
        member("b", None, b"6"),
        member("c", Some("y"), b"3"),
        member("d", Some(""), b"1"),
        member("e", None, b"7"),
        member("f", Some("y"), b"4"),
        member("g", Some("x\u{10ffff}"), b"2"),
    ];
    let all_idle = [member("a", None, b"idle"), member("b", Some("i"), b"idle")];
    let no_text = [member("a", None, NO_TEXT), member("b", None, &[0, 0xc1, 0xff, 0x80])];
    let long: Vec<u8> = (0..70_000_u32).map(|at| at as u8).collect();
    let lengths = [248, 251, 252, 65_531, 65_532].map(|length| &long[..length]);
    let ids = ["a", "b", "c", "d", "e"];
    let lengths: Vec<_> = ids.into_iter().zip(lengths).map(|(id, metadata)| member(id, None, metadata)).collect();
    let seeded = |seed| StatesRequest { head: Head { seed, ..base().head }, members: &fixed, ..base() };
    let of = |members| StatesRequest { members, ..base() };
    let explain = settings(&[("explain", Setting::Flag(true))]);
    let late = Head { generation: i32::MIN, config: &explain, ..base().head };
    let again = |ms| settings(&[("again_ms", Setting::Number(ms))]);
    let refuse = settings(&[("refuse", Setting::Text("no: ß"))]);
    let wrong = settings(&[
        ("refuse", Setting::Raw(b"\xa2\xc3\x28")),
        ("explain", Setting::Text("true")),
        ("again_ms", Setting::Flag(true)),
    ]);
    vec![
        ("nobody", "a group without members", written(base())),
        ("one", "one member gets all", written(of(&three[..1]))),
        ("three", "parts in the order of ids", written(of(&three))),
        ("idle", "who is idle gets zero bytes", written(of(&idle))),
        ("all-idle", "nobody to number", written(of(&all_idle))),
        ("static", "Kafka's order: by instance id, equal ones by id, then the others", written(of(&fixed))),
        ("seed", "a seed is unsigned and has 64 bits", written(seeded(u64::MAX - 1))),
        ("seed-32", "a seed of 32 bits", written(seeded(0xffff_fffe))),
        ("metadata", "metadata is any bytes", written(of(&no_text))),
        ("metadata-long", "states of each length of length", written(of(&lengths))),
        ("context", "a context of any bytes", written(StatesRequest { context: Some(&[0xff, 0]), ..of(&three) })),
        ("context-empty", "an empty context is not none", written(StatesRequest { context: Some(b""), ..of(&three) })),
        ("context-long", "a long context", written(StatesRequest { context: Some(&long), ..of(&three) })),
        ("explain", "lines of each level, one of bytes that are no text", written(set(of(&no_text), &explain))),
        ("explain-nobody", "an empty line", written(set(base(), &explain))),
        (
            "explain-negative",
            "numbers below 0",
            written(StatesRequest { head: late, now_ms: i64::MIN, ..of(&three[1..]) }),
        ),
        (
            "explain-long",
            "a line that is longer than all may be is left out",
            written(set(of(&lengths[4..]), &explain)),
        ),
        ("refuse", "a refusal, retriable, about the last member", written(set(of(&three), &refuse))),
        ("refuse-nobody", "a refusal about nobody", written(set(base(), &refuse))),
        ("memo-empty", "an empty memo is not no memo", written(StatesRequest { memo: Some(b""), ..of(&three) })),
        ("memo-65536", "the longest memo", written(StatesRequest { memo: Some(&long[..65_536]), ..of(&three) })),
        ("again", "a time to be called again", written(set(of(&three), &again(60_000.0)))),
        ("again-never", "a time before now counts as none", written(set(of(&three), &again(-1.0)))),
        (
            "wrong-settings",
            "settings of another type, and a text that is none, count as not there",
            written(set(of(&three), &wrong)),
        ),
        ("members-16", "an array of more than 15 members", crowd(16, 1)),
        ("members-10000", "ten thousand members, every fifth static", crowd(10_000, 3)),
        ("wide", "more than 65,535 members", crowd(WIDE_MEMBERS, 9_000)),
        ("everything", "a little of all that a request may have", everything()),
        ("long-forms", "the request `everything`, each value in its longest form", form::widened(&everything())),
        ("tails", "items that a later minor version may append, everywhere", by_hand(true, b"\x81\xa7explain\xc3")),
    ]
}

/// Members of whom every so many-th is not idle.
fn crowd(count: usize, step: usize) -> Vec<u8> {
    let names: Vec<(String, String)> =
        (0..count).map(|it| (format!("{it:04x}"), format!("i{:x}", it * 7 % 1_000))).collect();
    let members: Vec<StateMember<'_>> = (0..)
        .zip(&names)
        .map(|(it, (id, instance_id)): (usize, _)| {
            let metadata: &[u8] = if it.is_multiple_of(step) { b"" } else { b"idle" };
            member(id, it.is_multiple_of(5).then_some(instance_id.as_str()), metadata)
        })
        .collect();
    written(StatesRequest { head: Head { seed: 3, ..base().head }, members: &members, ..base() })
}

/// A request of two members, written value by value; with tails if so.
fn by_hand(tails: bool, config: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut to = Writer::new(&mut bytes);
    let more = usize::from(tails);
    to.array(8 + 2 * more);
    to.unsigned(u64::from(tails));
    to.unsigned(1);
    to.array(4 + more);
    to.text("g");
    to.signed(9);
    to.text("parts@1");
    to.text("eager");
    tail(&mut to, tails);
    to.raw(config);
    to.nil();
    to.array(2);
    for id in ["a", "b"] {
        to.array(3 + more);
        to.text(id);
        to.nil();
        to.binary(b"m");
        tail(&mut to, tails);
    }
    to.signed(5);
    to.nil();
    tail(&mut to, tails);
    tail(&mut to, tails);
    bytes
}

/// What a later minor version may append.
pub fn tail(to: &mut Writer<'_>, is_there: bool) {
    if is_there {
        // A map of a list of a float and an extension of four bytes.
        to.raw(b"\x81\xa5later\x92\xcb\x3f\xe0\0\0\0\0\0\0\xd6\x07\x01\x02\x03\x04");
    }
}

fn bad() -> Vec<Case> {
    let members = [member("a", Some("i"), b"meta"), member("b", None, b"data")];
    let swapped = [members[1], members[0]];
    let twice = [members[0], members[0]];
    let whole = written(StatesRequest { context: Some(b"ctx"), memo: Some(b"memo"), members: &members, ..base() });
    let with = |there: &[u8], by: &[u8]| replaced(&whole, there, by);
    let far = |generation: &[u8]| {
        let mut bytes = whole.clone();
        let at = bytes.windows(2).position(|two| two == b"\x01\xa7").expect("a generation");
        bytes.splice(at..=at, generation.iter().copied());
        bytes
    };
    let first = whole.windows(4).position(|four| four == b"\x92\x93\xa1a").expect("members");
    let mut cases = broken(&everything());
    cases.extend([
        (
            "members-order",
            "members that are not in the order of their ids",
            written(StatesRequest { members: &swapped, ..base() }),
        ),
        ("members-twice", "a member twice", written(StatesRequest { members: &twice, ..base() })),
        ("members-huge", "4,294,967,295 members", [&whole[..first], &[0xdd, 0xff, 0xff, 0xff, 0xff, 0x93]].concat()),
        ("member-few", "a member of two items", with(b"\x93\xa1b\xc0", b"\x92\xa1b\xc0")),
        ("metadata-text", "metadata that is a text", with(b"\xc4\x04meta", b"\xd9\x04meta")),
        ("metadata-nil", "no metadata", with(b"\xc4\x04data", b"\xc0\xc0\xc0\xc0\xc0\xc0")),
        ("metadata-long", "metadata that is longer than the request", with(b"\xc4\x04data", b"\xc4\xffdata")),
        ("context-text", "a context that is a text", with(b"\xc4\x03ctx", b"\xd9\x03ctx")),
        ("memo-text", "a memo that is a text", with(b"\xc4\x04memo", b"\xd9\x04memo")),
        ("config-array", "a configuration that is no map", with(b"eager\x80", b"eager\x90")),
        ("mode", "a mode that there is not", with(b"eager", b"Eager")),
        ("generation-high", "a generation beyond 32 bits", far(&[0xce, 0x80, 0, 0, 0])),
        ("generation-low", "a generation below 32 bits", far(&[0xd3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff])),
        ("utf-8-member", "an id that is no UTF-8", with(b"\xa1b\xc0", b"\xa1\xff\xc0")),
        ("utf-8-instance", "an instance id that is no UTF-8", with(b"\xa1i\xc4", b"\xa1\xc3\xc4")),
        ("utf-8-protocol", "a protocol with half of a pair of UTF-16", with(b"parts@1", b"p\xed\xa0\x80s@1")),
    ]);
    cases
}
