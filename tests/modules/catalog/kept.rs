//! What is kept of modules, and what is not: the cache folder and its mode, compiled code, and the calls of a module whose file is
//! gone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use divvy::assignor::{Assignor, Budget, CallError, Export, FaultKind};
use divvy::ids::Protocol;

use super::{PATIENCE, Story, answer, broken};
use crate::wat_modules::{GOOD, assign, named};

/// Does harm to a cache folder that is not there yet.
type Spoil<'a> = &'a dyn Fn(&Path);

#[test]
fn a_cache_that_cannot_be_used_is_said_so_once_with_the_reason() {
    let said = |spoil: Spoil<'_>| {
        let story = Story::new();
        spoil(&story.cache.path().join("kept"));
        let rows = story.open().catalog.status();
        rows.into_iter()
            .filter_map(|row| Some((row.path.strip_prefix(story.cache.path()).ok()?.to_owned(), row.last_error?)))
            .collect::<Vec<_>>()
    };
    let cases: [(Spoil<'_>, &str, &str); 5] = [
        (&|kept| fs::write(kept, b"").expect("a file"), "kept", "name a folder"),
        (
            &|kept| {
                fs::create_dir(kept).expect("a folder");
                fs::set_permissions(kept, fs::Permissions::from_mode(0o1777)).expect("its mode");
            },
            "kept",
            "others may write it (mode 1777): `chmod 700` it",
        ),
        (
            &|kept| {
                fs::create_dir_all(kept.join("compiled")).expect("a folder");
                fs::set_permissions(kept.join("compiled"), fs::Permissions::from_mode(0o777)).expect("its mode");
            },
            "kept/compiled",
            "others may write it (mode 777)",
        ),
        (
            &|kept| {
                fs::create_dir(kept).expect("a folder");
                symlink("..", kept.join("compiled")).expect("a link");
            },
            "kept/compiled",
            "it is a link",
        ),
        (
            &|kept| {
                fs::create_dir(kept).expect("a folder");
                fs::write(kept.join("compiled"), b"").expect("a file");
            },
            "kept/compiled",
            "it is no folder",
        ),
    ];
    for (spoil, path, words) in cases {
        let rows = said(spoil);
        assert!(matches!(&rows[..], [(at, why)] if *at == Path::new(path) && why.contains(words)), "{words}: {rows:?}");
    }
    assert_eq!(said(&|_| ()), []);
}

#[test]
fn nothing_is_taken_from_a_cache_that_others_may_write_and_nothing_left_there() {
    let story = Story::new();
    story.write("spread.wasm", &named("spread", 1, "v1"));
    let seen = story.open();
    story.write("spread.wasm", &named("spread", 2, "v2"));
    seen.offers("a new version", &["spread@2", "spread@1"]);
    drop(seen);
    let kept = story.cache.path().join("kept");
    let mode = |mode| fs::set_permissions(&kept, fs::Permissions::from_mode(mode)).expect("its mode");
    let count = || fs::read_dir(kept.join("compiled")).expect("a folder").count();
    let before = count();
    mode(0o770);
    let seen = story.open();
    assert_eq!(seen.offered(), ["spread@2"], "version 1 is only there");
    assert!(seen.catalog.modules().iter().all(|module| !module.is_from_cache()));
    story.write("other.wasm", &named("other", 1, "o1"));
    seen.offers("another", &["other@1", "spread@2"]);
    assert_eq!(count(), before);
    drop(seen);
    mode(0o700);
    assert_eq!(story.open().offered(), ["other@1", "spread@2", "spread@1"], "what was there is there");
}

#[test]
fn no_code_is_kept_of_what_is_refused() {
    let story = Story::new();
    story.write("good.wasm", &GOOD.bytes());
    let seen = story.open();
    let codes = || fs::read_dir(story.cache.path().join("kept/compiled")).expect("a folder").count();
    assert_eq!(codes(), 1);
    for (name, bytes) in [("traps", broken()), ("silent", GOOD.assign(assign("(i64.const 8)")).bytes())] {
        story.write(&format!("{name}.wasm"), &bytes);
        seen.errs(&format!("{name}.wasm"), "it failed a trial call");
        assert_eq!(codes(), 1, "{name}");
    }
}

#[test]
fn a_deleted_file_ends_its_running_call_and_says_so() {
    let story = Story::new();
    // It loops in groups that the trial does not have.
    let loops = r#"(func (export "divvy_assign") (param i32 i32) (result i64)
        (if (i32.eq (i32.load8_u (local.get 0)) (i32.const 115)) (then (loop $for_ever (br $for_ever))))
        (i64.const 0x10_0000_000a)) (data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90")"#;
    let manifest = r#"{"abi": "1.0", "name": "good", "limits": {"ms": 5000}}"#;
    let bytes = GOOD.manifest(manifest).assign(loops).bytes();
    story.write("other.wasm", &named("other", 1, "o1"));
    let seen = story.open();
    let budget = Budget { deadline: PATIENCE, max_output: 100 };
    let deleted_while_it_runs = || {
        story.write("good.wasm", &bytes);
        seen.offers("it serves", &["good@1", "other@1"]);
        let module = seen.catalog.find(&Protocol::from("good@1")).expect("version 1");
        let fault = std::thread::scope(|scope| {
            let running = scope.spawn(|| module.call(Export::Assign, b"slowly", budget).expect_err("it is ended"));
            fs::remove_file(story.path("good.wasm")).expect("removed");
            running.join().expect("no panic")
        });
        seen.offers("it is gone", &["other@1"]);
        (module, fault)
    };
    // On a machine that does other things the call may begin after the file is gone: then nothing but its deadline ends it.
    let was_in_time = |(_, fault): &(_, CallError)| fault.kind != FaultKind::Deadline;
    let (module, fault) = (0..10).map(|_| deleted_while_it_runs()).find(was_in_time).expect("one call in time");
    assert_eq!(fault.kind, FaultKind::Missing, "{fault}");
    assert!(fault.message.contains("divvy_assign was ended: its module was retired while it ran"), "{fault}");
    assert!(module.last_call().expect("it ran").took < Duration::from_secs(5), "before its own deadline");
    assert_eq!(answer(&module), "v1", "who has it still may call it, as a member does with its last one");
}

/// Of a flood of files those that served before a restart come first, then the oldest: the alphabet says nothing of who matters.
#[test]
fn a_flood_of_files_throws_out_nobody_who_served_before_a_restart() {
    let story = Story::new();
    story.write("z-served.wasm", &named("served", 1, "v1"));
    let seen = story.open();
    assert_eq!(seen.offered(), ["served@1"]);
    drop(seen);
    for number in 0..300 {
        story.write(&format!("a{number:03}.wasm"), b"no module");
    }
    let seen = story.open();
    assert_eq!(seen.offered(), ["served@1"]);
    assert!(seen.row("a299.wasm").is_none(), "the last is left out");
}

/// What is taken away goes at the next look, whatever else is to be judged.
#[test]
fn a_deleted_file_does_not_wait_for_those_that_are_judged() {
    let story = Story::new();
    story.write("gone.wasm", &named("gone", 1, "v1"));
    let seen = story.open();
    assert_eq!(seen.offered(), ["gone@1"]);
    // Its trial takes a second and more.
    for number in 0..8 {
        let slow = GOOD.manifest(format!(r#"{{"abi": "1.0", "name": "slow", "version": {}}}"#, number + 1));
        story.write(&format!("slow{number}.wasm"), &slow.assign(assign("(loop (br 0)) (unreachable)")).bytes());
    }
    seen.errs("slow0.wasm", "deadline: it failed a trial call");
    fs::remove_file(story.path("gone.wasm")).expect("removed");
    seen.offers("the deletion", &[]);
    let judged = (0..8).filter(|number| seen.row(&format!("slow{number}.wasm")).is_some()).count();
    assert!(judged < 8, "the deletion came first");
}

#[test]
fn versions_that_fail_or_that_nobody_tried_hide_no_version_that_served() {
    let story = Story::new();
    let module =
        |seen: &super::Watched, protocol: &str| seen.catalog.find(&Protocol::from(protocol)).expect("it is offered");
    story.write("spread.wasm", &named("spread", 1, "v1"));
    let seen = story.open();
    module(&seen, "spread@1").served();
    for version in [2, 3] {
        story.write("spread.wasm", &named("spread", version, "no"));
        seen.wait_for("a new version", |it| it.catalog.find(&format!("spread@{version}").as_str().into()).is_some());
    }
    assert_eq!(seen.offered(), ["spread@3", "spread@2", "spread@1"], "nobody knows yet whether the newest two do");
    ["spread@3", "spread@2"].iter().for_each(|protocol| module(&seen, protocol).failed());
    // What failed is known to the next process when the folder was looked at once more.
    story.write("other.wasm", &named("other", 1, "o1"));
    seen.offers("both fail", &["other@1", "spread@3", "spread@2", "spread@1"]);
    drop(seen);
    let seen = story.open();
    assert_eq!(seen.offered(), ["other@1", "spread@3", "spread@2", "spread@1"], "a restart forgets nothing of that");
    story.write("spread.wasm", &named("spread", 4, "v4"));
    seen.offers("one more", &["other@1", "spread@4", "spread@3", "spread@2", "spread@1"]);
    module(&seen, "spread@4").served();
    story.write("spread.wasm", &named("spread", 5, "v5"));
    seen.offers("two good ones", &["other@1", "spread@5", "spread@4"]);
}
