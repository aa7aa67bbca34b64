//! Calls of strategies that were recorded in real groups, asked again: by the same module, by another one, of a file that
//! somebody changed; and what is left of a process that dies while it writes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bytes::Bytes;
use divvy::assignor::capture::{Capture, LedBy};
use divvy::client::{CaptureBounds, Captures};
use divvy::server::Server;
use divvy::server::config::Config;
use serde_json::Value;
use tokio::task::block_in_place;

use crate::cli_ground::{Running, built as file_of, divvy, fails, stdout};
use crate::led_ground::Consumer;
use crate::member_ground::{Folder, Worker, builder, built, doomed, partitions, together};
use crate::server_led::{has, led_config, start};
use crate::support::{Client, config, run, serve, within};

const RANGE: &[&str] = &["range"];

/// Whatever is recorded is written within this.
const SOON: Duration = Duration::from_secs(20);

/// The captures of a folder, by name.
fn captures(folder: &Path) -> Vec<(PathBuf, Capture)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|it| it == "capture")).collect();
    files.sort();
    let read = |path: PathBuf| {
        let capture = Capture::read(&std::fs::read(&path).unwrap()).unwrap();
        (path, capture)
    };
    files.into_iter().map(read).collect()
}

/// A command with `--json` that may fail: its exit code and its lines.
fn lines(arguments: &[&str]) -> (i32, Vec<Value>) {
    let output = block_in_place(|| divvy(&[arguments, &["--json"]].concat()));
    let lines = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code().unwrap(), lines)
}

/// Two members share four partitions by range; the leader records both generations.
async fn recorded(modules: &Folder, into: &Path) -> Vec<(PathBuf, Capture)> {
    let server = serve(config()).await;
    let captures_of = Captures::open(into, CaptureBounds::default()).unwrap();
    let member = || {
        let member = builder(server.addr(), "indexers").subscribe(["clicks"]).assignors(modules.path());
        member.fact("secret", "s3cr3t").captures(&captures_of)
    };
    let mut first = Worker::join(member()).await;
    first.assigned().await;
    let mut second = Worker::join(member()).await;
    together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    captures_of.flush(SOON);
    captures(into)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_leader_asked_is_reproduced_byte_for_byte_and_a_change_is_found() {
    let (modules, place) = (Folder::with(&[("range", built("range"))]), tempfile::tempdir().unwrap());
    let recorded = recorded(&modules, place.path()).await;
    assert!(recorded.len() >= 2, "{recorded:?}");
    let (path, last) = recorded.last().unwrap();
    assert_eq!((last.led_by, last.fault.as_ref(), last.served.states.len()), (LedBy::Leader, None, 2));
    assert!(last.module.digest.is_some() && last.took_us > 0, "{last:?}");

    let (folder, from) = (modules.path().to_str().unwrap(), place.path().to_str().unwrap());
    let (code, told) = lines(&["assignor", "replay", from, "--assignors", folder]);
    assert_eq!((code, told.len()), (0, recorded.len()), "{told:?}");
    assert!(told.iter().all(|it| it["reproduced"] == true && it["differences"] == serde_json::json!([])), "{told:?}");

    // One owner of the plan is another one than the module says: 'clicks' 0 goes to the second member.
    let mut reply = last.reply.clone().unwrap().to_vec();
    let owners = reply.windows(8).position(|it| it == [0, 0, 0, 0, 1, 0, 1, 0]).expect("range's plan is in the reply");
    reply[owners] = 1;
    let changed = place.path().join("changed");
    std::fs::write(&changed, Capture { reply: Some(Bytes::from(reply)), ..last.clone() }.write()).unwrap();
    let (code, told) = lines(&["assignor", "replay", changed.to_str().unwrap(), "--assignors", folder]);
    assert_eq!(code, 1, "{told:?}");
    let found = &told[0]["differences"];
    assert_eq!((found[0]["of"].as_str(), found[0]["at"].as_u64()), (Some("reply"), Some(owners as u64)), "{found}");
    assert_eq!(found[1]["pieces"][0]["of"], "clicks-0", "{found}");
    let said = divvy(&["assignor", "replay", changed.to_str().unwrap(), "--assignors", folder]);
    assert!(stdout(&said).contains("clicks-0 was given to divvy-"), "{}", stdout(&said));

    // Another module says something else, and whoever has not the module is told so.
    let path = path.to_str().unwrap();
    let (code, told) = lines(&["assignor", "replay", path, "--module", &file_of("roundrobin")]);
    assert_eq!((code, told[0]["reproduced"].as_bool()), (1, Some(false)), "{told:?}");
    let empty = tempfile::tempdir().unwrap();
    let nowhere = ["assignor", "replay", path, "--assignors", empty.path().to_str().unwrap()];
    fails(&nowhere, 4, &["no file in", "--module"]);

    // What is no whole capture is a sentence.
    let bytes = std::fs::read(path).unwrap();
    let half = place.path().join("half");
    std::fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    fails(&["assignor", "replay", half.to_str().unwrap()], 2, &["is cut off"]);
    fails(&["assignor", "replay", "Cargo.toml"], 2, &["Cargo.toml is no capture"]);
    fails(&["assignor", "replay", "no-such-file"], 4, &["no-such-file"]);

    // The whole ones beside it are replayed, and compared, all the same.
    let (half, new) = (half.to_str().unwrap(), file_of("roundrobin"));
    let (code, told) = lines(&["assignor", "replay", half, path, "Cargo.toml", "--assignors", folder]);
    assert_eq!((code, told.len(), told[1]["reproduced"].as_bool()), (2, 4, Some(true)), "{told:?}");
    assert!(told[0]["reproduced"].is_null() && told[2]["why"].as_str().unwrap().contains("no capture"), "{told:?}");
    assert_eq!(told[3]["error"]["kind"], "usage", "{told:?}");
    let (code, told) = lines(&["assignor", "diff", half, path, &new]);
    assert_eq!((code, told.len(), told[1]["moved"].as_u64()), (2, 4, Some(2)), "{told:?}");
    assert_eq!((&told[2]["total"]["captures"], &told[3]["error"]["kind"]), (&1.into(), &"usage".into()), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_modules_plan_is_compared_and_drawn() {
    let (modules, place) = (Folder::with(&[("range", built("range"))]), tempfile::tempdir().unwrap());
    let recorded = recorded(&modules, place.path()).await;
    let (path, picture) = (recorded.last().unwrap().0.to_str().unwrap(), place.path().join("plan.svg"));
    let (new, svg) = (file_of("roundrobin"), picture.to_str().unwrap());
    let (code, told) = lines(&["assignor", "diff", path, &new, "--svg", svg]);
    assert_eq!((code, told.len()), (0, 1), "{told:?}");
    // Range gives 0 and 1 to the first, round robin 0 and 2.
    let diff = &told[0];
    assert_eq!((diff["moved"].as_u64(), diff["partitions"].as_u64()), (Some(2), Some(4)), "{diff}");
    assert_eq!(diff["balance"]["after"]["deviation"], 0.0, "{diff}");
    assert_eq!(diff["topics"][0]["moved"], 2, "{diff}");
    let drawn = std::fs::read_to_string(&picture).unwrap();
    assert_eq!(drawn.matches("<rect class=\"c\"").count(), 2 + 1, "two come, and one explains: {drawn}");

    let range = file_of("range");
    let (code, told) = lines(&["assignor", "diff", path, &range, "--against", &range]);
    assert_eq!((code, told[0]["moved"].as_u64()), (0, Some(0)), "{told:?}");
    let said = stdout(&divvy(&["assignor", "diff", path, &new]));
    assert!(said.contains("of 4 partitions 2 go to another member") && said.contains("GIVES UP"), "{said}");
    // A whole folder: each, and the sum.
    let (code, told) = lines(&["assignor", "diff", place.path().to_str().unwrap(), &new]);
    let total = &told.last().unwrap()["total"];
    assert_eq!((code, total["captures"].as_u64()), (0, Some(recorded.len() as u64)), "{told:?}");
    fails(&["assignor", "diff", path, &file_of("active-standby")], 2, &["serves groups of type \"single-writer\""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn states_are_compared_by_member() {
    let (modules, place) = (Folder::with(&[("active-standby", built("active-standby"))]), tempfile::tempdir().unwrap());
    let server = serve(config()).await;
    let into = Captures::open(place.path(), CaptureBounds::default()).unwrap();
    let member = builder(server.addr(), "writers").single_writer().assignors(modules.path()).captures(&into);
    let mut worker = Worker::join(member).await;
    worker.assigned().await;
    into.flush(SOON);
    let from = place.path().to_str().unwrap();
    let (code, told) = lines(&["assignor", "replay", from, "--assignors", modules.path().to_str().unwrap()]);
    assert_eq!((code, told[0]["reproduced"].as_bool()), (0, Some(true)), "{told:?}");
    fails(
        &["assignor", "diff", from, &file_of("active-standby"), "--svg", "no.svg"],
        2,
        &["only partitions are drawn"],
    );
    let (code, told) = lines(&["assignor", "diff", from, &file_of("active-standby")]);
    let state = &told[0]["states"][0];
    assert_eq!(
        (code, state["equal"].as_bool(), state["after"]["role"].as_str()),
        (0, Some(true), Some("active")),
        "{told:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coordinator_records_what_it_asked_and_a_fault_comes_again() {
    let (modules, place) = (Folder::with(&[("even", doomed(1))]), tempfile::tempdir().unwrap());
    let into = place.path().join("captures");
    let led = Config { capture_dir: Some(into.clone()), ..led_config(&modules) };
    let server: Server = start(led).await;
    let mut a = Consumer::join(server.addr(), "../../doomed", RANGE, &["clicks"]);
    a.share(has(4)).await;
    let mut b = Consumer::join(server.addr(), "../../doomed", RANGE, &["clicks"]);
    a.share(has(2)).await;
    b.share(has(2)).await;
    let mut c = Consumer::join(server.addr(), "../../doomed", RANGE, &["clicks"]);
    c.share(|it| !it.partitions.is_empty()).await;
    let history = server.handle().history(&"../../doomed".into()).await.unwrap().unwrap();
    within(server.stop()).await;
    // A group's id leads out of no folder, and a strategy that is passed over is asked, and recorded, once.
    let recorded = captures(&into);
    assert_eq!(recorded.len(), 1, "{recorded:?}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
    let (path, last) = recorded.last().unwrap();
    // The group's history names the file.
    let of_last = history.iter().find(|it| it.generation == last.asked.generation).unwrap();
    let named = format!("{}.capture", of_last.captured.as_ref().unwrap());
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), named);
    assert!(path.file_name().unwrap().to_str().unwrap().starts_with("%2E.%2F..%2Fdoomed-"), "{path:?}");
    assert_eq!((last.led_by, last.fault.as_ref().unwrap().kind.as_str()), (LedBy::Coordinator, "trap"));
    assert!(!last.served.states.is_empty() && last.served.by != "the chosen strategy", "{:?}", last.served);
    let replay = ["assignor", "replay", into.to_str().unwrap(), "--assignors", modules.path().to_str().unwrap()];
    let (code, told) = lines(&replay);
    assert_eq!(code, 0, "{told:?}");
    assert!(told.iter().all(|it| it["recorded_fault"] == "trap" && it["reproduced"] == true), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_that_lead_record() {
    let place = tempfile::tempdir().unwrap();
    let server = Server::builder(config()).present_as_kafka().start().await.unwrap();
    let (addr, modules) = (server.addr().to_string(), Folder::with(&[("weighted", built("weighted"))]));
    let (joins, leads) = (place.path().join("join"), place.path().join("lead"));
    Client::connect(server.addr()).await.create("clicks", 4).await;
    let folder = modules.path().to_str().unwrap();
    let mut join = Running::start(&[
        "join",
        "--server",
        &addr,
        "--group",
        "joined",
        "--topic",
        "clicks",
        "--assignors",
        folder,
        "--capture",
        joins.to_str().unwrap(),
    ]);
    block_in_place(|| join.event("assigned"));
    assert_eq!(block_in_place(|| join.terminate()), 0);
    let recorded = captures(&joins);
    assert!(!recorded.is_empty() && recorded.iter().all(|(_, it)| it.led_by == LedBy::Leader), "{recorded:?}");

    let mut lead = Running::start(&[
        "lead",
        "--brokers",
        &addr,
        "--group",
        "led",
        "--assignor",
        "weighted",
        "--assignors",
        folder,
        "--alone",
        "--session-timeout-ms",
        "3000",
        "--capture",
        leads.to_str().unwrap(),
    ]);
    block_in_place(|| lead.event("leads"));
    let mut worker = Worker::join(builder(server.addr(), "led").subscribe(["clicks"])).await;
    worker.assigned_with(|it| partitions(it).len() == 4).await;
    assert_eq!(block_in_place(|| lead.terminate()), 0);
    let recorded = captures(&leads);
    let (_, last) = recorded.last().unwrap();
    assert_eq!((last.led_by, last.module.name.as_str()), (LedBy::Lead, "weighted"));
    let (code, told) = lines(&["assignor", "replay", leads.to_str().unwrap(), "--assignors", folder]);
    assert_eq!(code, 0, "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_dies_while_it_writes_leaves_nothing_that_looks_whole() {
    let (place, modules) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = serve(config()).await;
    let into = place.path().join("captures");
    // The system ends a process that writes more into a file than it may: here in the middle of its first capture.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_divvy")]);
    command.args(["join", "--group", "g", "--topic", "clicks", "--server", &server.addr().to_string()]);
    command.args(["--fact", &format!("long={}", "x".repeat(4000))]);
    command.arg("--assignors").arg(modules.path()).arg("--capture").arg(&into);
    let ended = run(command).await;
    assert_eq!(ended.status.code(), None, "a signal ended it: {ended:?}");
    let left: Vec<String> =
        std::fs::read_dir(&into).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(left.len() == 1 && left[0].starts_with(".capture-"), "{left:?}");
    fails(&["assignor", "replay", into.to_str().unwrap()], 4, &["has no captures"]);
}
