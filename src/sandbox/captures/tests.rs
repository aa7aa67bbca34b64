//! The folder of captures: who may read it, what is in it, what goes, what a bad day costs.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::*;
use crate::assignor::{LeaderInput, MemberInput, Named, Otherwise, Service, native_range};
use crate::embedded::consumer::{Subscription, Tail};
use crate::ids::{Generation, GroupId, Mode, Protocol, ProtocolType};
use crate::topics::{Topic, TopicTable};

/// A generation of a group that range serves.
fn lead(captures: &Captures, group: &str, generation: i32) {
    let (group, protocol, kind) = (GroupId::from(group), Protocol::from("range"), ProtocolType::from("consumer"));
    let metadata = Subscription { version: 1, topics: vec!["t"], tail: Tail::default() }.encode().into();
    let members = [MemberInput { id: "m".into(), instance: None, metadata }];
    let topics = TopicTable([("t".into(), Topic { partitions: 3, racks: Vec::new() })].into());
    let tape = captures.tape();
    let led = Service {
        input: LeaderInput {
            group: &group,
            generation: Generation(generation),
            protocol: &protocol,
            mode: Mode::Eager,
            protocol_type: &kind,
            members: &members,
            topics: &topics,
            columns: &[],
            config: &Value::Null,
            context: None,
            memo: None,
            now_ms: 1_700_000_000_000,
            budget_ms: Duration::from_secs(1),
        },
        chosen: Named { protocol: &protocol, strategy: Some(native_range()) },
        rests: None,
        fallback: None,
        configs: &Default::default(),
        last_plan: None,
        lacks: &|_| String::new(),
        otherwise: Otherwise::Error,
        tape: Some(&tape),
    }
    .run();
    captures.keep(tape, LedBy::Leader, &led);
    captures.flush(Duration::from_secs(20));
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn each_generation_becomes_a_file_of_its_owner_alone() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("new/captures");
    let captures = Captures::open(&folder, CaptureBounds::default()).unwrap();
    lead(&captures, "g", 7);
    // The same generation again, in the same millisecond, is another call.
    lead(&captures, "g", 7);
    let expected = ["g-7-1700000000000-2.capture", "g-7-1700000000000.capture"];
    assert_eq!(names(&folder), expected.map(str::to_owned).into());
    let path = folder.join(expected[0]);
    let capture = Capture::read(&fs::read(&path).unwrap()).unwrap();
    assert_eq!((capture.asked.generation, capture.served.states.len()), (Generation(7), 1));
    #[cfg(unix)]
    for (path, mode) in [(&folder, 0o700), (&path, 0o600)] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[test]
fn a_hostile_group_stays_in_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("captures");
    let captures = Captures::open(&folder, CaptureBounds::default()).unwrap();
    for group in ["../../evil", "/etc/evil", "..", ".", "", "a/../../evil", "-rf", "\u{202e}\n\0", &"é".repeat(5000)] {
        lead(&captures, group, 1);
    }
    assert_eq!(names(place.path()), ["captures".to_owned()].into());
    assert_eq!(names(&folder).len(), 9);
    let is_tame = |name: &String| {
        name.ends_with(CAPTURE) && name.len() < 255 && name.bytes().all(|it| it.is_ascii_graphic() && it != b'/')
    };
    assert!(names(&folder).iter().all(is_tame), "{:?}", names(&folder));
}

const CAPTURE: &str = ".capture";

#[test]
fn beyond_the_bounds_the_oldest_go_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    fs::create_dir(folder.join("folder.capture")).unwrap();
    // What a killed process left is a capture that never became one: it goes when it is the oldest.
    fs::write(folder.join(".capture-1-1"), "half").unwrap();
    let captures = Captures::open(folder, CaptureBounds { files: 3, ..CaptureBounds::default() }).unwrap();
    (1..=5).for_each(|generation| lead(&captures, "g", generation));
    let left =
        ["folder.capture", "g-3-1700000000000.capture", "g-4-1700000000000.capture", "g-5-1700000000000.capture"];
    let expected: BTreeSet<String> = left.iter().map(|it| (*it).to_owned()).chain(["notes.txt".to_owned()]).collect();
    assert_eq!(names(folder), expected);

    // Two have room and three have not, although how long a call took is longer or shorter by some bytes.
    let one = folder.join(left[3]).metadata().unwrap().len();
    let captures = Captures::open(folder, CaptureBounds { files: 100, bytes: 2 * one + one / 2 }).unwrap();
    lead(&captures, "g", 6);
    assert_eq!(names(folder).iter().filter(|it| it.starts_with("g-")).count(), 2);
    assert!(names(folder).contains("g-6-1700000000000.capture"));
}

#[test]
fn what_cannot_be_written_costs_a_capture_and_nothing_more() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("captures");
    let captures = Captures::open(&folder, CaptureBounds::default()).unwrap();
    fs::remove_dir(&folder).unwrap();
    lead(&captures, "g", 1);
    lead(&captures, "g", 2);
    assert!(!folder.exists());
    fs::create_dir(&folder).unwrap();
    lead(&captures, "g", 3);
    assert_eq!(names(&folder), ["g-3-1700000000000.capture".to_owned()].into());

    let small = Captures::open(&place.path().join("small"), CaptureBounds { files: 9, bytes: 10 }).unwrap();
    lead(&small, "g", 1);
    assert!(names(small.folder()).is_empty(), "one that is larger than all may be leaves nothing behind");
}

#[test]
fn a_folder_that_cannot_be_is_told_at_once() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Captures::open(&file, CaptureBounds::default()).unwrap_err().to_string();
    assert!(error.contains("file") && error.contains("name a folder"), "{error}");
}
