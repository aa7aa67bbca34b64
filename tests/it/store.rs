//! The embedded store against crashes and refusals: whatever was acknowledged is there afterwards.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise, its helpers included")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use divvy::group::Record;
use divvy::group::event::CommittedOffset;
use divvy::group::record::{OffsetRecord, PlanRecord, State};
use divvy::ids::Generation;
use divvy::store::{EmbeddedStore, Entry, Store};
use divvy::time::WallTime;
use tempfile::TempDir;

/// Tells this binary, run again as a child, in which folder to write.
const FOLDER_VARIABLE: &str = "DIVVY_TEST_STORE_WRITER";

/// A stuck writer ends by itself.
const MOST_BATCHES: i32 = 1_000;

/// Batch `number`: a plan of the group and 40 of its offsets (two blocks), all saying `number`. Each plan is longer
/// than the one before, so that the file has to grow.
fn batch(number: i32) -> Vec<Entry> {
    let state = State(vec![0xa5; 10_000 * number as usize].into());
    let plan = PlanRecord {
        generation: Generation(number),
        digest: None,
        states: vec![("m".into(), state)],
        memo: None,
        fingerprint: None,
        call_again: None,
        stand_in: None,
        chosen: None,
        copies: 1,
    };
    let offset = |partition| OffsetRecord {
        offset: CommittedOffset {
            topic: "t".into(),
            partition,
            offset: i64::from(number),
            leader_epoch: -1,
            metadata: String::new(),
        },
        at: WallTime(0),
        expires: None,
    };
    let offsets = (0..40).map(|partition| Record::Offset(offset(partition)));
    std::iter::once(Record::Plan(plan)).chain(offsets).map(|record| Entry::Group("g".into(), record)).collect()
}

/// The number that the whole store says; a half-applied batch fails the test.
fn stored_number(store: &mut EmbeddedStore) -> i32 {
    let records = store.load_group(&"g".into()).unwrap();
    let Some(Record::Plan(plan)) = records.first() else {
        assert_eq!(records, []);
        return 0;
    };
    let number = plan.generation.0;
    let found: Vec<Entry> = records.into_iter().map(|record| Entry::Group("g".into(), record)).collect();
    assert_eq!(found, batch(number));
    number
}

/// Not a test of its own: the child that the others start. It acknowledges each batch on its standard output.
#[test]
fn writer_child() {
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE) else { return };
    let mut out = std::io::stdout();
    let mut say = |text: String| {
        // The parent may be gone already.
        let _ = writeln!(out, "\n{text}").and_then(|()| out.flush());
    };
    let mut store = EmbeddedStore::open(Path::new(&folder)).unwrap();
    let first = stored_number(&mut store) + 1;
    for number in first..first + MOST_BATCHES {
        if let Err(error) = store.append(&batch(number)) {
            say(format!("refused {}", error.message));
            // The same handle has opened the database anew and holds what it acknowledged.
            say(format!("holds {}", stored_number(&mut store)));
            return;
        }
        say(format!("ack {number}"));
    }
}

fn start(mut command: Command, folder: &Path) -> Child {
    command.args(["--exact", "store::writer_child", "--nocapture"]).env(FOLDER_VARIABLE, folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok)
}

#[test]
fn kill_9_loses_nothing_that_was_acknowledged() {
    let place = TempDir::new().unwrap();
    let mut last_ack = 0;
    for round in 1..=6 {
        let mut child = start(Command::new(std::env::current_exe().unwrap()), place.path());
        let mut acks = 0;
        for line in lines(&mut child) {
            let Some(number) = line.strip_prefix("ack ") else { continue };
            last_ack = number.parse().unwrap();
            acks += 1;
            // Somewhere in the middle of a later batch; what it still acknowledged is read to the end.
            if acks == 7 * round {
                child.kill().unwrap();
            }
        }
        assert!(!child.wait().unwrap().success(), "the writer was killed");
        let stored = stored_number(&mut EmbeddedStore::open(place.path()).unwrap());
        assert!(stored == last_ack || stored == last_ack + 1, "acknowledged {last_ack}, stored {stored}");
    }
}

/// A limit on the size of files stands in for a full disk: it needs no rights, and redb is poisoned just the same.
#[cfg(unix)]
#[test]
fn a_full_disk_fails_the_batch_and_the_same_handle_goes_on() {
    let place = TempDir::new().unwrap();
    let mut command = Command::new("sh");
    // 4096 blocks of 512 bytes (or of 1 KiB, where sh says so); without the trap the signal would kill the writer.
    command.args(["-c", r#"trap '' XFSZ; ulimit -f 4096; exec "$0" "$@""#]).arg(std::env::current_exe().unwrap());
    let mut child = start(command, place.path());
    let said: Vec<String> = lines(&mut child).collect();
    assert!(child.wait().unwrap().success(), "{said:?}");
    let last = |prefix: &str| said.iter().rev().find_map(|line| line.strip_prefix(prefix)).map(str::to_owned);
    let acknowledged: i32 = last("ack ").unwrap().parse().unwrap();
    let refused = last("refused ").unwrap();
    assert!(refused.contains(&place.path().display().to_string()), "{refused}");
    assert_eq!(last("holds "), Some(acknowledged.to_string()));
    // And with room again:
    let mut store = EmbeddedStore::open(place.path()).unwrap();
    assert_eq!(stored_number(&mut store), acknowledged);
    store.append(&batch(acknowledged + 1)).unwrap();
    assert_eq!(stored_number(&mut store), acknowledged + 1);
}

#[test]
fn another_process_is_named() {
    let place = TempDir::new().unwrap();
    let mut child = start(Command::new(std::env::current_exe().unwrap()), place.path());
    let pid = child.id();
    let first_ack = lines(&mut child).find(|line| line.starts_with("ack "));
    let outcome = EmbeddedStore::open(place.path());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first_ack.is_some());
    let message = outcome.unwrap_err().message;
    assert!(message.contains(&format!("process {pid} holds")), "{message}");
}
