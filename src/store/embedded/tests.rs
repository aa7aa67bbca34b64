//! The contract, and what only a folder on a disk can do wrong.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::group::Record;
use crate::ids::Generation;
use crate::store::contract;

fn reserved(group: &str, generation: i32) -> Entry {
    Entry::Group(group.into(), Record::Reserved(Generation(generation)))
}

fn sentence(folder: &Path) -> String {
    EmbeddedStore::open(folder).expect_err("it cannot be opened").message
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
}

#[test]
fn keeps_the_contract() {
    contract::check(|| TempDir::new().unwrap(), |place| Box::new(EmbeddedStore::open(place.path()).unwrap()));
}

#[test]
fn makes_its_folder_and_its_parents() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("a/b/divvy-data");
    EmbeddedStore::open(&folder).unwrap().append(&[reserved("g", 1)]).unwrap();
    assert!(folder.join(FILE).is_file());
}

#[test]
fn a_second_owner_is_refused_by_name() {
    let place = TempDir::new().unwrap();
    let first = EmbeddedStore::open(place.path()).unwrap();
    let path = place.path().display().to_string();
    assert_says(&sentence(place.path()), &["this very process", &path, "another folder"]);
    drop(first);
    EmbeddedStore::open(place.path()).unwrap();
}

#[test]
fn a_stale_lock_file_means_nothing() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("lock"), "4194304999999999999999999999").unwrap();
    EmbeddedStore::open(place.path()).unwrap();
    let pid = fs::read_to_string(place.path().join("lock")).unwrap();
    assert_eq!(pid, std::process::id().to_string());
}

#[test]
fn a_file_in_the_folders_place_is_named() {
    let place = TempDir::new().unwrap();
    let file = place.path().join("data");
    fs::write(&file, "not a folder").unwrap();
    assert_says(&sentence(&file), &[&file.display().to_string(), "is a file", "another folder"]);
    assert_says(&sentence(&file.join("below")), &["is a file"]);
}

#[cfg(unix)]
#[test]
fn a_place_that_takes_no_files_is_named() {
    // /proc refuses new folders to everybody, root included.
    let message = sentence(Path::new("/proc/divvy-data"));
    assert_says(&message, &["/proc/divvy-data", "cannot be read or written"]);
}

#[test]
fn refusals_of_the_disk_have_their_remedies() {
    use std::io::ErrorKind;
    let say = |kind: ErrorKind| failure::io_sentence(&kind.into(), Path::new("d/store.redb")).message;
    assert_says(&say(ErrorKind::StorageFull), &["d/store.redb", "is full", "free some space"]);
    assert_says(&say(ErrorKind::PermissionDenied), &["d/store.redb", "may not write", "another folder"]);
    assert_says(&say(ErrorKind::ReadOnlyFilesystem), &["may not write"]);
}

#[test]
fn at_the_start_nobody_is_told_that_it_mends_itself() {
    let place = TempDir::new().unwrap();
    fs::create_dir(place.path().join(FILE)).unwrap();
    let said = sentence(place.path());
    assert_says(&said, &["store.redb", "a folder has that name", "another folder"]);
    assert!(!said.contains("by itself"), "{said}");
    let full = Failure::from(std::io::Error::from(std::io::ErrorKind::StorageFull));
    assert!(full.may_pass() && !full.sentence(Path::new("d")).message.contains("by itself"));
}

#[test]
fn a_damaged_file_is_refused_and_stays_as_it_is() {
    let place = TempDir::new().unwrap();
    EmbeddedStore::open(place.path()).unwrap().append(&[reserved("g", 1)]).unwrap();
    let file = place.path().join(FILE);
    let whole = fs::read(&file).unwrap();
    for damaged in [whole[..whole.len() / 2].to_vec(), vec![0; whole.len()], b"# not a database at all".to_vec()] {
        fs::write(&file, &damaged).unwrap();
        assert_says(&sentence(place.path()), &["is damaged", "put back a copy", &file.display().to_string()]);
        assert_eq!(fs::read(&file).unwrap().len(), damaged.len());
    }
}

/// Writes behind the store's back.
fn tamper(folder: &Path, change: impl FnOnce(&redb::WriteTransaction)) {
    let database = Database::create(folder.join(FILE)).unwrap();
    let transaction = database.begin_write().unwrap();
    change(&transaction);
    transaction.commit().unwrap();
}

#[test]
fn the_file_of_a_newer_divvy_is_refused() {
    let place = TempDir::new().unwrap();
    EmbeddedStore::open(place.path()).unwrap();
    tamper(place.path(), |transaction| {
        transaction.open_table(ABOUT).unwrap().insert("format", FORMAT + 1).unwrap();
    });
    assert_says(
        &sentence(place.path()),
        &["newer divvy", "the file has format 3, this one reads up to 2", "start that version again"],
    );
}

#[test]
fn a_value_of_a_newer_divvy_is_refused_and_a_broken_one_named() {
    let place = TempDir::new().unwrap();
    drop(EmbeddedStore::open(place.path()).unwrap());
    for (value, parts) in [
        (&b"\x02\x01"[..], &["newer divvy", "the plan of group \"search\" has format 2, this one reads up to 1"][..]),
        (b"\x00\x01", &["is damaged", "format 0 of the plan of group \"search\""]),
        (b"", &["is damaged", "the plan of group \"search\"", "empty"]),
        (b"\x01\xc1", &["is damaged", "the plan of group \"search\""]),
    ] {
        tamper(place.path(), |transaction| {
            transaction.open_table(PLANS).unwrap().insert("search", value).unwrap();
        });
        let mut store = EmbeddedStore::open(place.path()).unwrap();
        assert_says(&store.load().unwrap_err().message, parts);
        // The rest can still be read and written.
        store.append(&[reserved("other", 1)]).unwrap();
        assert_eq!(store.load_group(&"other".into()).unwrap().len(), 1);
    }
}

/// What a block was before offsets could have a time of their own.
#[derive(serde::Serialize)]
struct OldOffset(i64, i32, String, i64);

#[test]
fn offsets_of_an_older_divvy_are_read_and_go_on() {
    use crate::group::event::CommittedOffset;
    use crate::group::record::OffsetRecord;
    use crate::time::WallTime;
    let place = TempDir::new().unwrap();
    drop(EmbeddedStore::open(place.path()).unwrap());
    let block = std::collections::BTreeMap::from([(3, OldOffset(7, -1, "note".to_owned(), 5))]);
    tamper(place.path(), |transaction| {
        let mut table = transaction.open_table(OFFSETS).unwrap();
        table.insert(("g", "t", 0), encode::encode(&block).as_slice()).unwrap();
    });
    let offset = |partition, offset, metadata: &str| CommittedOffset {
        topic: "t".into(),
        partition,
        offset,
        leader_epoch: -1,
        metadata: metadata.to_owned(),
    };
    let old = Record::Offset(OffsetRecord { offset: offset(3, 7, "note"), at: WallTime(5), expires: None });
    let mut store = EmbeddedStore::open(place.path()).unwrap();
    assert_eq!(store.load_group(&"g".into()).unwrap(), std::slice::from_ref(&old));
    let new = OffsetRecord { offset: offset(4, 1, ""), at: WallTime(6), expires: Some(WallTime(60)) };
    store.append(&[Entry::Group("g".into(), Record::Offset(new.clone()))]).unwrap();
    assert_eq!(store.load_group(&"g".into()).unwrap(), [old, Record::Offset(new)]);
}

#[test]
fn a_store_of_an_older_divvy_is_read_and_goes_on() {
    use crate::group::record::{PlanRecord, State};
    let plan = |generation| PlanRecord {
        generation: Generation(generation),
        digest: None,
        states: (100..200).map(|at| (format!("m-{at}").as_str().into(), State::default())).collect(),
        memo: None,
        fingerprint: None,
        call_again: None,
        stand_in: None,
        chosen: None,
        copies: 1,
    };
    let place = TempDir::new().unwrap();
    drop(EmbeddedStore::open(place.path()).unwrap());
    tamper(place.path(), |transaction| {
        transaction.delete_table(MEMBERS).unwrap();
        transaction.delete_table(STATES).unwrap();
        transaction.open_table(ABOUT).unwrap().insert("format", FORMAT_WITHOUT_PARTS).unwrap();
        transaction.open_table(PLANS).unwrap().insert("g", encode::encode(&plan(1)).as_slice()).unwrap();
    });
    for generation in 1..4 {
        let mut store = EmbeddedStore::open(place.path()).unwrap();
        assert_eq!(store.load_group(&"g".into()).unwrap(), [Record::Plan(plan(generation))]);
        store.append(&[Entry::Group("g".into(), Record::Plan(plan(generation + 1)))]).unwrap();
    }
}

#[test]
fn a_part_without_its_group_is_named() {
    let place = TempDir::new().unwrap();
    drop(EmbeddedStore::open(place.path()).unwrap());
    tamper(place.path(), |transaction| {
        transaction.open_table(STATES).unwrap().insert(("search", 0), &b"\x01\x90"[..]).unwrap();
    });
    let message = EmbeddedStore::open(place.path()).unwrap().load().unwrap_err().message;
    assert_says(&message, &["is damaged", "the plan of group \"search\"", "not there"]);
}

#[test]
fn a_batch_that_fails_half_way_leaves_nothing() {
    let place = TempDir::new().unwrap();
    drop(EmbeddedStore::open(place.path()).unwrap());
    tamper(place.path(), |transaction| {
        transaction.open_table(OFFSETS).unwrap().insert(("g", "t", 0), &b"\x01\xc1"[..]).unwrap();
    });
    let mut store = EmbeddedStore::open(place.path()).unwrap();
    let outcome = store.append(&[reserved("a", 1), Entry::Group("g".into(), Record::OffsetRemoved("t".into(), 31))]);
    assert_says(&outcome.unwrap_err().message, &["is damaged", "the offsets of group \"g\""]);
    assert_eq!(store.load_group(&"a".into()).unwrap(), []);
    // The next block of the same topic is another record, and removing the group removes the damage.
    store.append(&[Entry::Group("g".into(), Record::OffsetRemoved("t".into(), 32))]).unwrap();
    store.append(&[Entry::Group("g".into(), Record::Removed)]).unwrap();
    assert_eq!(store.load().unwrap(), Snapshot::default());
}

#[test]
fn a_store_whose_making_was_interrupted_is_made_anew() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join(FILE).with_extension(UNFINISHED), "half of a databa").unwrap();
    EmbeddedStore::open(place.path()).unwrap().append(&[reserved("g", 1)]).unwrap();
    assert_eq!(
        EmbeddedStore::open(place.path()).unwrap().load_group(&"g".into()).unwrap(),
        [Record::Reserved(Generation(1))]
    );
}

#[test]
fn to_try_whether_there_is_room_leaves_no_trace() {
    let place = TempDir::new().unwrap();
    let mut store = EmbeddedStore::open(place.path()).unwrap();
    store.append(&[reserved("g", 1)]).unwrap();
    store.probe().unwrap();
    let bytes = fs::metadata(place.path().join(FILE)).unwrap().len();
    (0..20).for_each(|_| store.probe().unwrap());
    assert_eq!(fs::metadata(place.path().join(FILE)).unwrap().len(), bytes, "the room is used again");
    drop(store);
    let snapshot = EmbeddedStore::open(place.path()).unwrap().load().unwrap();
    assert_eq!((snapshot.groups.len(), snapshot.topics.len()), (1, 0));
}

#[test]
fn damage_anywhere_is_a_sentence_and_never_a_crash() {
    let place = TempDir::new().unwrap();
    let batch: Vec<Entry> = (0..500).map(|n| reserved(&format!("group-{n}"), n)).collect();
    EmbeddedStore::open(place.path()).unwrap().append(&batch).unwrap();
    let path = place.path().join(FILE);
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        let end = damaged.len().min(at + 16 * 1024);
        damaged[at..end].fill(0xa5);
        fs::write(&path, damaged).unwrap();
        // It may have met only free pages: then everything is still there.
        match EmbeddedStore::open(place.path()).and_then(|mut store| store.load()) {
            Ok(snapshot) => assert_eq!(snapshot.groups.len(), batch.len(), "damaged at {at}"),
            Err(error) => assert_says(&error.message, &["damaged", "start without it"]),
        }
    }
}
