//! The requests of `tests/abi/requests`: what a host may send, and what a module must refuse.

use divvy_guest::abi::msgpack::Writer;
use divvy_guest::testing::{TestGroup, TestMember, random_group};

use super::form;
use super::malformed::{self, Case};

/// A request.
pub struct Request {
    pub name: String,
    /// What it is there for.
    pub what: &'static str,
    pub bytes: Vec<u8>,
    /// Whether a module must refuse it as `bad_request`.
    pub bad: bool,
}

/// Requests of the random groups that are kept.
const RANDOM: u64 = 12;

/// More than an owner map of two bytes holds.
const WIDE_MEMBERS: usize = 65_535;

/// Good ones and bad ones.
pub fn requests(good: Vec<Case>, bad: Vec<Case>) -> Vec<Request> {
    let good = good.into_iter().map(|(name, what, bytes)| Request { name: name.to_owned(), what, bytes, bad: false });
    let named = |name| format!("malformed-{name}");
    let bad = bad.into_iter().map(|(name, what, bytes)| Request { name: named(name), what, bytes, bad: true });
    good.chain(bad).collect()
}

/// Those of shape `partitions`.
pub fn all() -> Vec<Request> {
    let mut requests = requests(good(), malformed::all());
    for seed in 0..RANDOM {
        let bytes = random_group(seed).config("keep", seed % 2 == 1).request();
        let what = "a group of everyday size: some members static, some with racks";
        requests.push(Request { name: format!("random-{seed:02}"), what, bytes, bad: false });
    }
    requests
}

fn good() -> Vec<Case> {
    let base = || TestGroup::new().topic("ant", 3).topic("bee", 2);
    let numbered = |count: u32| (0..count).fold(TestGroup::new(), |group, it| group.topic(format!("t{it:03}"), it % 4));
    let every = |step: usize| (0..43).step_by(step).map(|it| format!("t{it:03}")).collect::<Vec<_>>();
    let wide = (0..WIDE_MEMBERS)
        .fold(TestGroup::new().topic("t", 70_000), |group, it| {
            group.member(TestMember::new(format!("{it:04x}")).reads((it % 9_000 == 7).then_some("t")))
        })
        .seed(3);
    vec![
        ("nobody", "a group without members: every owner is nobody", base().request()),
        ("no-topics", "members without topics: the owner map is empty", TestGroup::new().members(2).request()),
        ("one", "one member gets everything", base().members(1).request()),
        ("cards", "the position counts on through all topics", base().members(3).request()),
        ("seed", "a seed is unsigned and has 64 bits", base().members(7).seed(u64::MAX - 1).request()),
        ("seed-32", "a seed of 32 bits", base().members(3).seed(0xffff_fffe).request()),
        (
            "subscriptions",
            "ranges of topics, a bit set whose last byte is not full, nothing, and topics without partitions",
            numbered(43)
                .member(TestMember::new("all").reads(every(1)))
                .member(TestMember::new("bits").reads(every(2)))
                .member(TestMember::new("few").reads(every(21)))
                .member(TestMember::new("none"))
                .request(),
        ),
        (
            "readers",
            "a topic that nobody reads keeps nobody as owner; two members read different ones",
            base()
                .topic("cow", 4)
                .member(TestMember::new("a").reads(["ant"]))
                .member(TestMember::new("b").reads(["cow"]))
                .request(),
        ),
        ("members-16", "an array of more than 15 members", base().topic("cow", 300).members(40).request()),
        ("topics-300", "partitions of more than 255 topics", numbered(300).members(3).request()),
        (
            "keep",
            "claims: kept, of a member that does not read the topic, of nobody",
            base()
                .member(TestMember::new("a").reads(["ant", "bee"]).owned("ant", [2]).owned("bee", [0]))
                .member(TestMember::new("b").reads(["ant"]).owned("ant", [0]).owned("bee", [1]))
                .config("keep", true)
                .request(),
        ),
        (
            "keep-not",
            "claims are there, and the setting says not to keep them",
            base().member(TestMember::new("a").reads(["ant", "bee"]).owned("ant", [1])).config("keep", false).request(),
        ),
        (
            "layers",
            "claims of several members to one partition: only the first layer counts",
            base()
                .copies()
                .member(TestMember::new("a").reads(["ant", "bee"]).owned("ant", [0, 1]))
                .member(TestMember::new("b").reads(["ant", "bee"]).owned("ant", [0, 2]).owned("bee", [1]))
                .config("keep", true)
                .request(),
        ),
        (
            "lag",
            "a column of lags at an odd address, one of them unknown, one of 64 bits",
            base().members(2).lags([Some(1), None, Some(u64::from(u32::MAX)), Some(1 << 40), Some(0)]).request(),
        ),
        (
            "lag-of-nothing",
            "a column for no partitions is there, and empty",
            TestGroup::new().members(1).lags([]).request(),
        ),
        (
            "columns",
            "columns that the module did not ask for, beside the one that it did",
            base().members(2).column("rate", vec![9; 5 * 4]).lags([Some(5); 5]).column("zeal", vec![1; 5]).request(),
        ),
        ("everything", "a little of all that a request may have", everything().request()),
        ("cooperative", "the other mode", base().members(2).cooperative().generation(i32::MAX).now_ms(-1).request()),
        (
            "refuse",
            "a refusal, retriable, about the last member",
            base().members(3).config("refuse", "no: ß").request(),
        ),
        ("refuse-nobody", "a refusal about nobody", base().config("refuse", "").request()),
        (
            "refuse-long",
            "a text of more than 31 bytes",
            base().members(1).config("refuse", &*"x".repeat(200)).request(),
        ),
        ("refuse-longer", "a text of more than 255 bytes", base().config("refuse", &*"y".repeat(700)).request()),
        ("memo-empty", "an empty memo is not no memo", base().members(2).memo([]).request()),
        ("memo-255", "the longest memo with a length of one byte", base().members(2).memo([7; 255]).request()),
        ("memo-256", "a length of two bytes", base().members(2).memo([8; 256]).request()),
        (
            "memo-65536",
            "a length of four bytes, and the longest memo",
            base().members(2).memo(vec![9; 65_536]).request(),
        ),
        (
            "again",
            "a time to be called again, as a float in the request",
            base().members(1).config("again_ms", 60_000.0).request(),
        ),
        ("again-never", "a time before now counts as none", base().members(1).config("again_ms", -1.0).request()),
        (
            "again-infinite",
            "so does one that no integer holds",
            base().members(1).config("again_ms", f64::INFINITY).request(),
        ),
        ("settings", "settings of every kind before the ones that are read", settings()),
        ("wrong-settings", "settings of another type count as not there", wrong_settings()),
        ("wrong-text", "so does a text that is no UTF-8", wrong_text()),
        ("names", "names that are long, and not ASCII", names().request()),
        (
            "utf-8",
            "the first and the last characters of each length, and around the halves of UTF-16's pairs",
            base()
                .member(TestMember::new(EDGES_OF_UTF_8).reads(["ant"]))
                .topic(EDGES_OF_UTF_8, 1)
                .config("refuse", EDGES_OF_UTF_8)
                .request(),
        ),
        ("tell", "user data for every second assignment", base().members(3).config("tell", "ß").request()),
        ("tell-empty", "empty user data is not none", base().members(2).config("tell", "").request()),
        ("tell-nobody", "nobody to tell: no user data", base().config("tell", "x").request()),
        (
            "tell-20",
            "user data for more than 15 members, of two bytes of length",
            base().members(20).config("tell", &*"z".repeat(300)).memo([1, 2, 3]).request(),
        ),
        ("wide", "more than 65,534 members: owners have four bytes", wide.request()),
        (
            "long-forms",
            "the request `everything`, each value in its longest form",
            form::widened(&everything().request()),
        ),
        ("tails", "items that a later minor version may append, everywhere", tails()),
    ]
}

pub fn everything() -> TestGroup {
    let racks = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    TestGroup::new()
        .topic_with_racks("ant", vec![racks(["r1", "r2"]), racks(["r2", "r3"]), racks(["r3", "r1"])])
        .topic("bee", 4)
        .topic("cow", 0)
        .member(
            TestMember::new("a")
                .reads(["ant", "bee"])
                .rack("r1")
                .client_id("billing")
                .fact("weight", 2.5)
                .user_data([1, 2, 3])
                .owned("ant", [0, 1]),
        )
        .member(TestMember::new("b").reads(["ant"]).instance_id("blue").rack("r3").owned("ant", [2]))
        .member(TestMember::new("c").reads(["bee", "cow"]).fact("zones", vec!["x", "y"]).fact("spare", true))
        .member(TestMember::new("d"))
        .config("keep", true)
        .config("again_ms", 1_234.0)
        .lags([Some(10), Some(20), None, Some(300), Some(1), Some(2), Some(3)])
        .memo([0xc0, 0xff])
        .seed(0x0123_4567_89ab_cdef)
        .generation(41)
        .now_ms(1_790_000_000_000)
}

fn names() -> TestGroup {
    let long = "n".repeat(249);
    TestGroup::new()
        .topic(&*long, 2)
        .topic("größe", 3)
        .topic("主题", 4)
        .member(TestMember::new("消费者").reads([&*long, "主题"]))
        .member(TestMember::new("m".repeat(300)).reads([&*long, "größe"]).client_id("é"))
}

/// A request with a configuration and, if so, tails; two members that read two topics of one and two partitions.
fn by_hand(config: impl Fn(&mut Writer<'_>), tails: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut to = Writer::new(&mut bytes);
    let more = usize::from(tails);
    let tail = |to: &mut Writer<'_>| {
        if tails {
            to.map(1);
            to.text("later");
            to.array(2);
            to.number(0.5);
            // An extension of 4 bytes.
            to.raw(&[0xd6, 7, 1, 2, 3, 4]);
        }
    };
    to.array(12 + 2 * more);
    to.unsigned(u64::from(tails));
    to.unsigned(1);
    to.array(4 + more);
    ["g", "", "even@1", "eager"]
        .iter()
        .enumerate()
        .for_each(|(at, text)| if at == 1 { to.signed(9) } else { to.text(text) });
    tail(&mut to);
    config(&mut to);
    to.array(2);
    for (name, partitions) in [("ant", 1), ("bee", 2)] {
        to.array(3 + more);
        to.text(name);
        to.unsigned(partitions);
        // Flags are not for today's readers.
        to.unsigned(if tails { 5 } else { 0 });
        tail(&mut to);
    }
    to.array(1);
    to.array(1);
    to.array(2 + more);
    to.unsigned(0);
    to.unsigned(2);
    tail(&mut to);
    to.array(2);
    for id in ["a", "b"] {
        to.array(7 + more);
        to.text(id);
        to.nil();
        to.text("");
        to.nil();
        to.unsigned(0);
        to.nil();
        to.map(0);
        tail(&mut to);
    }
    to.array(0);
    to.binary(&[1, 0, 0xff, 0xff, 0, 0]);
    to.map(0);
    to.signed(5);
    to.nil();
    tail(&mut to);
    tail(&mut to);
    bytes
}

const EDGES_OF_UTF_8: &str = "\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}";

fn wrong_text() -> Vec<u8> {
    by_hand(
        |to| {
            to.map(2);
            to.text("refuse");
            to.raw(b"\xa3a\xe2\x82");
            to.raw(b"\xa4kee\xf0");
            to.boolean(true);
        },
        false,
    )
}

fn tails() -> Vec<u8> {
    by_hand(
        |to| {
            to.map(1);
            to.text("keep");
            to.boolean(true);
        },
        true,
    )
}

fn settings() -> Vec<u8> {
    by_hand(
        |to| {
            to.map(17);
            // A key that is no text, and one that only begins like a known one.
            to.unsigned(7);
            to.text("keep");
            to.text("keeper");
            to.boolean(false);
            for (at, value) in [
                &[0xc0][..],
                &[0xe0],
                &[0xd0, 0x80],
                &[0xd1, 0x80, 0],
                &[0xd2, 0x80, 0, 0, 0],
                &[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0],
                &[0xca, 0x3f, 0x80, 0, 0],
                &[0xc4, 2, 1, 2],
                &[0xd4, 1, 2],
                &[0xd8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                &[0xc7, 3, 1, 9, 9, 9],
                &[0x92, 0x91, 0x90, 0x81, 0xa1, b'x', 0x80],
            ]
            .iter()
            .enumerate()
            {
                to.text(&format!("k{at}"));
                to.raw(value);
            }
            to.text("keep");
            to.boolean(true);
            to.text("again_ms");
            to.unsigned(70_000);
            // The first of two counts.
            to.text("keep");
            to.boolean(false);
        },
        false,
    )
}

fn wrong_settings() -> Vec<u8> {
    by_hand(
        |to| {
            to.map(3);
            to.text("refuse");
            to.unsigned(1);
            to.text("keep");
            to.text("true");
            to.text("again_ms");
            to.boolean(true);
        },
        false,
    )
}
