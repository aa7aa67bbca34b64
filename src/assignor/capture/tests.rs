//! A served generation as a capture: whole, read again, asked again; what is no capture, or was changed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::assignor::testing::Group;
use crate::assignor::{Budget, Column, Export, LeaderInput, Led, Manifest, Named, Otherwise, Service, native_range};
use crate::ids::Protocol;

/// A clock that is 250 µs further each time.
fn clock_us() -> u64 {
    static TIME: AtomicU64 = AtomicU64::new(0);
    TIME.fetch_add(250, Ordering::Relaxed)
}

/// What range answers, unless it is broken.
struct Strategy {
    manifest: Manifest,
    broken: Option<CallError>,
}

impl Strategy {
    fn new() -> Self {
        Self {
            manifest: Manifest { name: "even".into(), version: 3, ..native_range().manifest().clone() },
            broken: None,
        }
    }

    fn broken(kind: FaultKind) -> Self {
        Self { broken: Some(CallError::new(kind, "on purpose")), ..Self::new() }
    }
}

impl Assignor for Strategy {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn digest(&self) -> Option<Digest> {
        Some(Digest([7; 32]))
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        match &self.broken {
            Some(error) => Err(error.clone()),
            None => native_range().call(export, request, budget),
        }
    }
}

fn group() -> Group {
    let mut group = Group::new(&[("clicks", 4), ("views", 2)]).member("a", &["clicks", "views"]).owner(
        "b",
        &["clicks"],
        7,
        &[("clicks", &[2, 3])],
    );
    group.protocol = "even@3".into();
    group.racks("clicks", &[&["x"], &["y"], &["x", "y"], &[]])
}

fn served(strategy: &dyn Assignor) -> (Vec<Capture>, Led) {
    let group = group();
    let columns = [Column {
        name: "lag".into(),
        values: BTreeMap::from([("clicks".into(), vec![1, 2, 3, u64::MAX])]),
        unknown: 9,
    }];
    let configs = BTreeMap::from([("even".to_owned(), json!({ "weight": 1.5, "deep": [{ "a": null }], "n": -3 }))]);
    let protocol = Protocol::from("even@3");
    let tape = Tape::new(clock_us);
    let led = Service {
        input: LeaderInput { memo: Some(b"memo"), columns: &columns, config: &Value::Null, ..group.input() },
        chosen: Named { protocol: &protocol, strategy: Some(strategy) },
        rests: None,
        fallback: None,
        configs: &configs,
        last_plan: None,
        lacks: &|_| String::new(),
        otherwise: Otherwise::WholePlan,
        tape: Some(&tape),
    }
    .run();
    (tape.captures(LedBy::Coordinator, &led), led)
}

fn only(captures: Vec<Capture>) -> Capture {
    let [capture] = <[Capture; 1]>::try_from(captures).unwrap();
    capture
}

#[test]
fn a_served_generation_is_a_capture_that_says_all_of_it() {
    let (captures, led) = served(&Strategy::new());
    let capture = only(captures);
    assert_eq!(capture.module, Identity { name: "even".into(), version: 3, digest: Some(Digest([7; 32])) });
    assert_eq!((capture.led_by, capture.fault.as_ref()), (LedBy::Coordinator, None));
    assert_eq!(capture.served.states, led.plan.unwrap().states);
    assert_eq!(capture.served.by, "the chosen strategy");
    assert_eq!(capture.asked.config["weight"], 1.5);
    assert_eq!(capture.took_us % 250, 0);
    assert!(capture.took_us > 0 && capture.request.is_some() && capture.reply.is_some());
}

#[test]
fn what_is_written_is_read_again() {
    for strategy in [Strategy::new(), Strategy::broken(FaultKind::Trap)] {
        let capture = only(served(&strategy).0);
        assert_eq!(Capture::read(&capture.write()), Ok(capture));
    }
}

#[test]
fn of_a_failed_call_the_fault_is_kept_and_what_served_instead() {
    let (captures, led) = served(&Strategy::broken(FaultKind::Memory));
    let capture = only(captures);
    assert_eq!(capture.fault.as_ref().map(|it| it.kind.as_str()), Some("memory"));
    assert_eq!((capture.reply.as_ref(), capture.served.by.as_str()), (None, "divvy's own range"));
    assert_eq!(capture.served.states, led.plan.unwrap().states);
}

#[test]
fn the_same_module_gives_the_same_again() {
    let capture = only(served(&Strategy::new()).0);
    assert_eq!(replay(&capture, &Strategy::new()), []);
    let failed = only(served(&Strategy::broken(FaultKind::Trap)).0);
    assert_eq!(replay(&failed, &Strategy::broken(FaultKind::Trap)), []);
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let capture = only(served(&Strategy::new()).0);
    let changed = |bytes: &Option<Bytes>, at: usize| {
        let mut bytes = bytes.clone().unwrap().to_vec();
        bytes[at] ^= 1;
        Some(Bytes::from(bytes))
    };
    let request = Capture { request: changed(&capture.request, 9), ..capture.clone() };
    let found = replay(&request, &Strategy::new());
    assert!(matches!(&found[0], Difference::Bytes { of, at: 9, .. } if of == "request"), "{found:?}");

    // The owners of the six partitions are two bytes each: 'clicks' 0 goes to b.
    let reply = capture.reply.clone().unwrap();
    let owners = reply.windows(12).position(|it| it == [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]).expect("range's plan");
    let replied = Capture { reply: changed(&capture.reply, owners), ..capture.clone() };
    let found = replay(&replied, &Strategy::new());
    assert!(matches!(&found[0], Difference::Bytes { of, at, .. } if of == "reply" && *at == owners), "{found:?}");
    let piece = Piece { of: "clicks-0".into(), recorded: "b".into(), now: "a".into() };
    assert_eq!(found[1], Difference::Plan(vec![piece]));

    let mut stated = capture.clone();
    let (_, state) = stated.served.states.pop().unwrap();
    let member = stated.served.states[0].0.clone();
    stated.served.states = vec![(member, state)];
    let found = replay(&stated, &Strategy::new());
    assert!(matches!(&found[0], Difference::Bytes { of, .. } if of == "share of \"a\""), "{found:?}");
    assert!(matches!(&found[1], Difference::Plan(pieces) if pieces.len() == 6), "{found:?}");
}

#[test]
fn another_ending_is_a_difference() {
    let capture = only(served(&Strategy::new()).0);
    let found = replay(&capture, &Strategy::broken(FaultKind::Stack));
    let Some(Difference::Ending { recorded: None, now: Some(now) }) = found.last() else { panic!("{found:?}") };
    assert!(now.kind == "stack" && now.is_of_the_machine());
    let failed = only(served(&Strategy::broken(FaultKind::Trap)).0);
    let found = replay(&failed, &Strategy::new());
    assert!(
        matches!(&found[..], [Difference::Bytes { recorded: 0, .. }, Difference::Ending { now: None, .. }]),
        "{found:?}"
    );
}

#[test]
fn what_is_no_capture_is_refused_in_a_sentence() {
    let whole = only(served(&Strategy::new()).0).write();
    assert_eq!(Capture::read(b"PK\x03\x04 and so on"), Err(NoCapture::Foreign));
    assert_eq!(Capture::read(b""), Err(NoCapture::Foreign));
    for length in 8..whole.len() {
        let read = Capture::read(&whole[..length]);
        let there = length as u64;
        assert!(matches!(read, Err(NoCapture::Truncated { there: it, .. }) if it == there), "{length}: {read:?}");
    }
    for at in HEAD_BYTES..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        assert_eq!(Capture::read(&bytes), Err(NoCapture::Damaged), "{at}");
    }
    let mut later = whole.clone();
    later[8] = 2;
    assert_eq!(Capture::read(&later), Err(NoCapture::Later(2)));
    assert!(NoCapture::Later(2).to_string().contains("reads up to 1"));
    assert_eq!(Capture::read(&[&whole[..], b"more"].concat()), Err(NoCapture::Damaged));
}

#[test]
fn what_a_later_divvy_adds_is_skipped() {
    let capture = only(served(&Strategy::new()).0);
    let body = &capture.write()[HEAD_BYTES..];
    // A map of one key more: eight keys of its own fit into a fixmap.
    assert_eq!(body[0] & 0xf0, 0x80);
    let later = [&[body[0] + 1][..], &body[1..], b"\xa5later\x93\x01\x02\xc4\x01?"].concat();
    assert_eq!(Capture::read_body(&later), Ok(capture));
}

#[test]
fn lengths_that_are_not_there_and_nesting_without_end_are_refused() {
    for body in [
        &b"\xdf\xff\xff\xff\xff"[..],
        b"\x81\xa5asked\xdd\xff\xff\xff\xff",
        b"\x81\xa7request\xc6\xff\xff\xff\xff",
        b"",
    ] {
        assert!(matches!(Capture::read_body(body), Err(NoCapture::Malformed(_))));
    }
    let deep = [&b"\x81\xa5later"[..], &[0x91; 100_000]].concat();
    assert!(matches!(Capture::read_body(&deep), Err(NoCapture::Malformed(_))));
}
