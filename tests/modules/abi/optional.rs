//! The requests of `tests/abi/user-data` and `tests/abi/check`: what the optional exports are asked.

use divvy_guest::abi::host::{UserDataRequest, write_check};
use divvy_guest::abi::msgpack::Writer;
use divvy_guest::testing::TestStates;

use super::cases::{Request, requests};
use super::form;
use super::malformed::{Case, broken, replaced};
use super::states::{self, NO_TEXT, Setting, settings, tail};

/// Those of `divvy_user_data`.
pub fn user_data() -> Vec<Request> {
    requests(good_user_data(), bad_user_data())
}

/// Those of `divvy_check`.
pub fn check() -> Vec<Request> {
    requests(good_check(), bad_check())
}

fn base() -> UserDataRequest<'static> {
    UserDataRequest { group: "g", protocol: "parts@1", ..UserDataRequest::default() }
}

fn written(request: UserDataRequest<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    request.write(&mut bytes);
    bytes
}

fn everything() -> Vec<u8> {
    let config = settings(&[("mute", Setting::Flag(false)), ("depth", Setting::Raw(&[0x91, 0x90]))]);
    let facts = settings(&[("weight", Setting::Number(2.5)), ("zone", Setting::Text("größe"))]);
    written(UserDataRequest {
        group: "größe",
        config: &config,
        topics: &["ant", "bee", "主题"],
        facts: &facts,
        last_state: Some(NO_TEXT),
        now_ms: 1_790_000_000_000,
        ..base()
    })
}

fn good_user_data() -> Vec<Case> {
    let names: Vec<String> = (0..300).map(|it| format!("t{it}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let facts = |setting| settings(&[("zone", setting)]);
    let (number, no_text) = (facts(Setting::Number(1.0)), facts(Setting::Raw(b"\xa1\xff")));
    let (mute, refuse) = (settings(&[("mute", Setting::Flag(true))]), settings(&[("refuse", Setting::Text("no: ß"))]));
    vec![
        ("bare", "no topics, no facts, no state", written(base())),
        ("one", "one topic", written(UserDataRequest { topics: &["clicks"], ..base() })),
        ("topics-300", "more than 255 topics", written(UserDataRequest { topics: &names, ..base() })),
        (
            "zone-number",
            "a fact of another type counts as not there",
            written(UserDataRequest { facts: &number, ..base() }),
        ),
        ("zone-no-text", "so does a text that is no UTF-8", written(UserDataRequest { facts: &no_text, ..base() })),
        ("mute", "no data", written(UserDataRequest { config: &mute, topics: &["clicks"], ..base() })),
        ("refuse", "a refusal, not retriable, about nobody", written(UserDataRequest { config: &refuse, ..base() })),
        ("state-empty", "a state without bytes", written(UserDataRequest { last_state: Some(b""), ..base() })),
        ("state-70000", "a long state", written(UserDataRequest { last_state: Some(&[7; 70_000]), ..base() })),
        ("now-negative", "a time before 1970", written(UserDataRequest { now_ms: -1, ..base() })),
        ("everything", "a little of all that a request may have", everything()),
        ("long-forms", "the request `everything`, each value in its longest form", form::widened(&everything())),
        ("tails", "items that a later minor version may append", user_data_with_tails()),
    ]
}

fn user_data_with_tails() -> Vec<u8> {
    let mut bytes = written(UserDataRequest { topics: &["clicks"], last_state: Some(b"1/2"), now_ms: 5, ..base() });
    // Two items more, of a later minor version.
    (bytes[0], bytes[1]) = (0x9a, 1);
    let mut to = Writer::new(&mut bytes);
    tail(&mut to, true);
    tail(&mut to, true);
    bytes
}

fn bad_user_data() -> Vec<Case> {
    let whole = written(UserDataRequest { topics: &["ant", "bee"], last_state: Some(b"last"), now_ms: 5, ..base() });
    let with = |there: &[u8], by: &[u8]| replaced(&whole, there, by);
    let mut cases = broken(&everything());
    cases.extend([
        ("topics-text", "topics that are a text", with(b"\x92\xa3ant", b"\xa2\xa3ant")),
        ("topics-many", "more topics than there are", with(b"\x92\xa3ant", b"\x9f\xa3ant")),
        ("topic-bin", "a topic that is no text", with(b"\xa3bee", b"\xc4\x02ee")),
        ("config-array", "a configuration that is no map", with(b"@1\x80", b"@1\x90")),
        ("facts-nil", "no facts", with(b"bee\x80", b"bee\xc0")),
        ("state-text", "a state that is a text", with(b"\xc4\x04last", b"\xd9\x04last")),
        ("utf-8-group", "a group's id that is no UTF-8", with(b"\xa1g", b"\xa1\x80")),
        ("utf-8-topic", "a topic that is no UTF-8", with(b"\xa3bee", b"\xa3b\xc3\x28")),
    ]);
    cases
}

fn judged(request: &[u8], states: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_check(request, states, &mut bytes);
    bytes
}

fn pair() -> Vec<u8> {
    TestStates::new().member("a", "idle").static_member("b", "i", "busy").request()
}

fn whole_check() -> Vec<u8> {
    judged(&states::everything(), &[NO_TEXT, b"2/4:b", b"", b"1/4:", b"4/4:\0"])
}

fn good_check() -> Vec<Case> {
    let crowd = (0..300).fold(TestStates::new(), |group, it| group.member(&format!("{it:03}"), "")).request();
    vec![
        ("nobody", "a plan of nobody", judged(&TestStates::new().request(), &[])),
        ("good", "a plan that is good", judged(&pair(), &[b"", b"1/1:busy"])),
        ("lost", "a member without a part", judged(&pair(), &[b"", b""])),
        ("idle", "a part for nobody", judged(&pair(), &[b"1/2:", b"2/2:busy"])),
        ("first", "the first member at fault is the reason", judged(&pair(), &[b"x", b""])),
        ("members-300", "an array of more than 255 states", judged(&crowd, &[&b"x"[..]; 300])),
        ("members-300-lost", "an index of two bytes", judged(&crowd, &[&[&b"x"[..]; 299][..], &[b""]].concat())),
        ("state-70000", "a long state", judged(&pair(), &[b"", &[7; 70_000]])),
        ("everything", "the request `everything` of states", whole_check()),
        ("long-forms", "the same, each value in its longest form", long_check()),
        ("tails", "items that a later minor version may append", check_with_tails()),
    ]
}

fn long_check() -> Vec<u8> {
    let inner = form::widened(&states::everything());
    form::widened(&judged(&inner, &[NO_TEXT, b"2/4:b", b"", b"1/4:", b"4/4:\0"]))
}

fn check_with_tails() -> Vec<u8> {
    let mut bytes = judged(&pair(), &[b"", b"1/1:busy"]);
    bytes[0] = 0x94;
    let mut to = Writer::new(&mut bytes);
    tail(&mut to, true);
    tail(&mut to, true);
    bytes
}

fn bad_check() -> Vec<Case> {
    let (pair, two) = (pair(), [&b"s1"[..], b"s2"]);
    let whole = judged(&pair, &two);
    let longer = [&pair[..], &[0xc0]].concat();
    let mut cases = broken(&whole_check());
    cases.extend([
        ("states-few", "a state too few", judged(&pair, &two[..1])),
        ("states-many", "a state too many", judged(&pair, &[b"s1", b"s2", b"s3"])),
        ("states-none", "no states", judged(&pair, &[])),
        ("state-text", "a state that is a text", replaced(&whole, b"\xc4\x02s2", b"\xd9\x02s2")),
        ("state-nil", "a member's state is not there", replaced(&whole, b"\xc4\x02s1", b"\xc0\xc0\xc0\xc0")),
        ("inner-empty", "a plan of no request", judged(b"", &two)),
        ("inner-cut", "the request's last byte is missing", judged(&pair[..pair.len() - 1], &two)),
        ("inner-longer", "a byte behind the request", judged(&longer, &two)),
        ("inner-order", "a request that is at odds with itself", judged(&replaced(&pair, b"\xa1b", b"\xa1A"), &two)),
        ("inner-utf-8", "a request with an id that is no UTF-8", judged(&replaced(&pair, b"\xa1b", b"\xa1\xfe"), &two)),
    ]);
    cases
}
