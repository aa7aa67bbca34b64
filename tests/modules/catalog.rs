//! The story of a folder of modules while the process runs, and over its restart.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, Export};
use divvy::ids::Protocol;
use divvy::sandbox::{Catalog, CatalogConfig, Module, ModuleState, ModuleStatus};
use tempfile::TempDir;

use crate::wat_modules::{GOOD, assign, named, sandbox};

mod kept;

/// The longest that a change may take to be seen, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(60);

struct Story {
    folder: TempDir,
    cache: TempDir,
}

struct Watched {
    catalog: Catalog,
    changed: Arc<(Mutex<()>, Condvar)>,
}

impl Story {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), cache: tempfile::tempdir().expect("a folder") }
    }

    fn open(&self) -> Watched {
        let catalog = Catalog::open(
            sandbox(),
            CatalogConfig {
                cache_folder: Some(self.cache.path().join("kept")),
                debounce: Duration::from_millis(10),
                rescan: Duration::from_millis(100),
                ..CatalogConfig::new(vec![self.folder.path().to_owned()])
            },
        );
        let catalog = catalog.expect("a catalog");
        let changed = Arc::new((Mutex::new(()), Condvar::new()));
        let theirs = Arc::clone(&changed);
        let listening = catalog.on_change(Box::new(move || {
            // Taken so that no change falls between a look and the wait.
            drop(theirs.0.lock().expect("no panic"));
            theirs.1.notify_all();
        }));
        listening.for_good();
        Watched { catalog, changed }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("written");
    }
}

impl Watched {
    fn offered(&self) -> Vec<String> {
        let label = |module: &Arc<Module>| format!("{}@{}", module.manifest().name, module.manifest().version);
        self.catalog.modules().iter().map(label).collect()
    }

    fn row(&self, file: &str) -> Option<ModuleStatus> {
        self.catalog.status().into_iter().find(|row| row.path.file_name().is_some_and(|name| name == file))
    }

    fn wait_for(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let guard = self.changed.0.lock().expect("no panic");
        let waited = self.changed.1.wait_timeout_while(guard, PATIENCE, |()| !holds(self)).expect("no panic").1;
        assert!(!waited.timed_out(), "{what}: {:?}, {:#?}", self.offered(), self.catalog.status());
    }

    fn offers(&self, what: &str, expected: &[&str]) {
        self.wait_for(what, |catalog| catalog.offered() == expected);
    }

    fn errs(&self, file: &str, words: &str) {
        let says = |row: ModuleStatus| row.last_error.is_some_and(|error| error.contains(words));
        self.wait_for(words, |catalog| catalog.row(file).is_some_and(says));
    }

    /// What the module of that protocol answers.
    fn answer(&self, protocol: &str) -> String {
        answer(&self.catalog.find(&Protocol::from(protocol)).expect(protocol))
    }
}

fn answer(module: &Module) -> String {
    let budget = Budget { deadline: PATIENCE, max_output: 100 };
    let reply = module.call(Export::Assign, b"request", budget).expect("a reply");
    String::from_utf8_lossy(&reply[4..6]).into_owned()
}

fn broken() -> Vec<u8> {
    GOOD.assign(assign("unreachable")).bytes()
}

#[test]
fn the_life_of_a_strategy() {
    let story = Story::new();
    story.write("README.md", b"not a module");
    story.write("spread.wasm", &named("spread", 1, "v1"));
    let seen = story.open();
    assert_eq!(seen.offered(), ["spread@1"], "what is there is there at once");

    story.write("other.wasm", &named("other", 1, "o1"));
    seen.offers("a new file", &["other@1", "spread@1"]);

    story.write("spread.wasm", &named("spread", 2, "v2"));
    seen.offers("a new version", &["other@1", "spread@2", "spread@1"]);
    assert_eq!((seen.answer("spread@2"), seen.answer("spread@1")), ("v2".into(), "v1".into()));

    story.write("spread.wasm", &broken());
    seen.errs("spread.wasm", "trap: it failed a trial call");
    let row = seen.row("spread.wasm").expect("a row");
    assert_eq!((row.state, row.version), (ModuleState::ServingPrevious, Some(2)), "{row:?}");
    assert_eq!(seen.offered(), ["other@1", "spread@2", "spread@1"], "a broken file takes nothing away");

    let third = named("spread", 3, "v3");
    story.write("spread.wasm", &third[..third.len() - 7]);
    seen.errs("spread.wasm", "half_written");
    story.write("spread.wasm", &third);
    seen.offers("a file that was completed", &["other@1", "spread@3", "spread@2"]);

    drop(seen);
    let seen = story.open();
    assert_eq!(seen.offered(), ["other@1", "spread@3", "spread@2"], "a restart keeps the older version");
    assert_eq!(seen.answer("spread@2"), "v2");

    fs::remove_file(story.path("spread.wasm")).expect("removed");
    seen.offers("a deleted file takes its older versions along", &["other@1"]);
    drop(seen);
    assert_eq!(story.open().offered(), ["other@1"], "for good");
}

#[test]
fn a_file_that_breaks_while_nobody_looks_leaves_the_last_good_module() {
    let story = Story::new();
    story.write("spread.wasm", &named("spread", 1, "v1"));
    drop(story.open());
    story.write("spread.wasm", b"\0asm");
    let seen = story.open();
    assert_eq!(seen.offered(), ["spread@1"]);
    assert_eq!(seen.row("spread.wasm").expect("a row").state, ModuleState::ServingPrevious);
}

#[test]
fn versions_that_are_replaced_while_nobody_looks_are_kept() {
    let story = Story::new();
    story.write("spread.wasm", &named("spread", 1, "v1"));
    drop(story.open());
    story.write("spread.wasm", &named("spread", 2, "v2"));
    assert_eq!(story.open().offered(), ["spread@2", "spread@1"]);
}

#[test]
fn b58_a_running_call_ends_on_the_old_module_and_the_next_is_the_new_ones() {
    let story = Story::new();
    let slow = r#"(func $spin (local i32) (loop $more (br_if $more (i32.lt_u
        (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 150000000)))))"#;
    let assign_slowly = r#"(func (export "divvy_assign") (param i32 i32) (result i64)
        (if (i32.eq (i32.load8_u (local.get 0)) (i32.const 115)) (then (call $spin))) (i64.const 0x10_0000_000a))
        (data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90")"#;
    let first = GOOD.more(slow).assign(assign_slowly).bytes();
    story.write("good.wasm", &first);
    let seen = story.open();
    let old = seen.catalog.find(&Protocol::from("good@1")).expect("version 1");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let budget = Budget { deadline: PATIENCE, max_output: 100 };
            old.call(Export::Assign, b"slowly", budget).expect("it ends")
        });
        // The same name and version with other bytes: what a developer does.
        story.write("good.wasm", &named("good", 1, "v2"));
        seen.wait_for("the swap", |catalog| catalog.answer("good@1") == "v2");
        assert_eq!(&running.join().expect("no panic")[4..6], b"v1");
    });
    story.write("good.wasm", b"\0asm\x01\0\0\0 broken");
    seen.errs("good.wasm", "good.wasm");
    assert_eq!(seen.answer("good@1"), "v2");
    story.write("good.wasm", &first);
    seen.wait_for("the swap back", |catalog| catalog.answer("good@1") == "v1");
    assert_eq!(seen.offered(), ["good@1"]);
}

#[test]
fn b09_a_module_that_loops_in_its_start_function_never_serves() {
    let story = Story::new();
    story.write("good.wasm", &GOOD.bytes());
    let seen = story.open();
    let manifest = r#"{"abi": "1.0", "name": "good", "version": 2}"#;
    let more = "(func $start (loop $for_ever (br $for_ever))) (start $start)";
    story.write("good.wasm", &GOOD.manifest(manifest).more(more).bytes());
    seen.errs("good.wasm", "deadline: it failed a trial call");
    let row = seen.row("good.wasm").expect("a row");
    assert_eq!((row.state, row.version), (ModuleState::ServingPrevious, Some(1)));
    assert!(row.last_error.is_some_and(|error| error.contains("good.wasm") && error.contains("sha256:")));
    assert_eq!(seen.answer("good@1"), "v1");
}

#[test]
fn garbage_for_a_reply_never_serves() {
    let story = Story::new();
    story.write("good.wasm", &GOOD.assign(assign("(i64.const 8)")).bytes());
    let seen = story.open();
    seen.errs("good.wasm", "invalid_reply");
    assert_eq!(seen.offered(), [""; 0]);
}

#[test]
fn two_files_that_claim_to_be_the_same_are_both_named() {
    let story = Story::new();
    story.write("a.wasm", &named("spread", 1, "v1"));
    let seen = story.open();
    story.write("b.wasm", &named("spread", 1, "v2"));
    seen.errs("b.wasm", "clash");
    let row = seen.row("b.wasm").expect("a row");
    assert!(row.last_error.is_some_and(|error| error.contains("a.wasm") && error.contains("spread version 1")));
    assert_eq!(seen.answer("spread@1"), "v1", "the one that serves stays");

    fs::remove_file(story.path("a.wasm")).expect("removed");
    seen.wait_for("the other one", |catalog| catalog.offered() == ["spread@1"] && catalog.answer("spread@1") == "v2");

    story.write("compiled.cwasm", b"\x7fELF");
    seen.errs("compiled.cwasm", "precompiled");
    story.write("large.wasm", &vec![0; (4 << 20) + 1]);
    seen.errs("large.wasm", "too_large");
}

#[test]
fn who_listens_no_more_leaves_nothing_behind() {
    let story = Story::new();
    let watched = story.open();
    let (told, tells) = mpsc::channel();
    let members: Vec<_> = (0..3)
        .map(|_| {
            let told = told.clone();
            watched.catalog.on_change(Box::new(move || _ = told.send(())))
        })
        .collect();
    drop(told);
    story.write("spread.wasm", &named("spread", 1, "v1"));
    (0..3).for_each(|_| tells.recv_timeout(PATIENCE).expect("each is told of the change"));
    drop(members);
    let end = std::iter::from_fn(|| Some(tells.recv_timeout(PATIENCE))).find_map(Result::err);
    assert_eq!(end, Some(RecvTimeoutError::Disconnected), "what they listened with is gone with them");
}

#[test]
fn an_unchanged_folder_is_quiet() {
    let story = Story::new();
    story.write("a.wasm", &named("spread", 1, "v1"));
    let seen = story.open();
    let before = (seen.catalog.modules(), seen.catalog.status());
    story.write("a.wasm", &named("spread", 1, "v1"));
    // Looked at later than the rewritten file.
    story.write("b.wasm", &named("other", 1, "o1"));
    seen.offers("the new file", &["other@1", "spread@1"]);
    let now = seen.catalog.modules();
    assert!(Arc::ptr_eq(&now[1], &before.0[0]), "the same bytes are not loaded again");
    assert_eq!(seen.row("a.wasm").as_ref(), before.1.first(), "and stand as they stood, since then");
}

#[test]
fn more_files_than_are_read_push_nobody_out() {
    let story = Story::new();
    story.write("serving.wasm", &named("spread", 1, "v1"));
    let seen = story.open();
    for i in 0..300 {
        story.write(&format!("copy-{i}.wasm"), &named("flood", 1, "f1"));
    }
    let says = |row: &ModuleStatus| row.last_error.as_ref().is_some_and(|error| error.contains("45 too many"));
    seen.wait_for("the count", |seen| seen.catalog.status().iter().any(says));
    let row = seen.catalog.status().into_iter().find(says).expect("a row");
    let name = row.path.file_name().expect("the first file that is left out").to_string_lossy().into_owned();
    let error = row.last_error.expect("why");
    assert!(name.starts_with("copy-") && error.contains(&format!("left out: {name}, ")), "{name}: {error}");
    seen.offers("both", &["flood@1", "spread@1"]);
}

#[test]
fn a_slow_copy_is_one_piece_of_news() {
    let story = Story::new();
    let seen = story.open();
    let whole = named("spread", 1, "v1");
    story.write("slow.wasm", &whole[..9]);
    seen.errs("slow.wasm", "half_written");
    let half = seen.row("slow.wasm");
    for length in 10..whole.len().min(14) {
        story.write("slow.wasm", &whole[..length]);
        // Looked at later than the longer file.
        let beside = format!("beside-{length}");
        story.write(&format!("{beside}.wasm"), &named(&beside, 1, "b1"));
        seen.wait_for("the file beside it", |seen| seen.offered().contains(&format!("{beside}@1")));
        assert_eq!(seen.row("slow.wasm"), half, "the same half file");
    }
    story.write("slow.wasm", &whole);
    seen.wait_for("the whole", |seen| seen.offered().contains(&"spread@1".to_owned()));
}

#[test]
fn a_folder_that_is_not_there_is_said_so() {
    let error = Catalog::open(sandbox(), CatalogConfig::new(vec![PathBuf::from("no/such/folder")])).err();
    assert!(error.expect("an error").to_string().contains("no/such/folder"));
}

#[test]
fn what_has_a_modules_name_and_is_no_file_is_named_and_not_read() {
    let story = Story::new();
    story.write("spread.wasm", &named("spread", 1, "v1"));
    let seen = story.open();
    symlink("gone", story.path("dangling.wasm")).expect("a link");
    symlink("/dev/zero", story.path("zero.wasm")).expect("a link");
    fs::create_dir(story.path("folder.wasm")).expect("a folder");
    seen.errs("dangling.wasm", "points to nothing");
    seen.errs("zero.wasm", "a pipe or a device");
    seen.errs("folder.wasm", "it is a folder");
    assert_eq!(seen.offered(), ["spread@1"]);
    fs::remove_file(story.path("spread.wasm")).expect("removed");
    symlink("gone", story.path("spread.wasm")).expect("a link");
    seen.offers("a link to nothing is no file", &[]);
    story.write("gone", &named("spread", 2, "v2"));
    seen.wait_for("what the links lead to", |seen| seen.offered() == ["spread@2"]);
}

#[test]
fn any_manifest_that_is_allowed_can_be_tried() {
    let story = Story::new();
    let rest = [
        r#""protocol_type": "connect""#,
        r#""protocol_type": "consumer", "shape": "states""#,
        r#""protocol_type": "my own", "shape": "states""#,
        r#""copies": "many", "complete": false, "mode": "cooperative""#,
        r#""needs": ["replica_racks", "lag", "", "nobody knows"]"#,
        r#""rank": 4294967295, "limits": {"memory_mib": 256, "ms": 10000}"#,
    ];
    for (i, rest) in rest.iter().enumerate() {
        let manifest = format!(r#"{{"abi": "1.0", "name": "odd-{i}", {rest}}}"#);
        story.write(&format!("{i}.wasm"), &GOOD.manifest(manifest).bytes());
    }
    let seen = story.open();
    assert_eq!(seen.offered().len(), rest.len(), "{:#?}", seen.catalog.status());
}
