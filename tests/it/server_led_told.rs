//! What is told of the coordinator's own modules: what made a plan and why, which file does not serve, which is missing.

use std::path::Path;

use divvy::client::Metrics;
use serde_json::Value;

use crate::cli_ground::Running;
use crate::led_ground::Consumer;
use crate::member_ground::{Folder, Worker, builder, built, doomed, even, partitions, together};
use crate::server_led::{KAFKAS, LED, address, has, led_config, start, write_config};
use crate::support::within;

#[tokio::test]
async fn what_made_the_plan_is_told_for_as_long_as_it_is_in_force() {
    let folder = Folder::with(&[("even", doomed(9))]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "doomed", KAFKAS, &["clicks"]);
    a.share(has(4)).await;
    let group = server.handle().describe(&"doomed".into()).await.unwrap().unwrap();
    assert_eq!(group.led.unwrap().assignor, None, "even@9 did not make it");
    let it = group.stand_in.unwrap();
    assert_eq!(it.by, "its own range");
    assert!(it.reason.starts_with("even@9 failed: trap: "), "{}", it.reason);
    let history = server.handle().history(&"doomed".into()).await.unwrap().unwrap();
    assert_eq!(history.last().unwrap().stand_in, Some(it));
    server.stop().await;
}

#[tokio::test]
async fn a_new_version_that_fails_moves_nothing() {
    let folder = Folder::with(&[("even", even(1))]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "doomed", KAFKAS, &["clicks"]);
    let before = a.share(has(4)).await.generation;
    folder.drop_in("even", &doomed(2));
    a.share(|share| share.generation == before + 2 && share.partitions.len() == 4).await;
    let history = server.handle().history(&"doomed".into()).await.unwrap().unwrap();
    let between = history.iter().find(|it| it.generation.0 == before + 1).unwrap();
    assert_eq!(between.stand_in.as_ref().unwrap().by, "its last plan, cut to what exists");
    server.stop().await;
}

/// Only its leader sees a strategy fail; members of divvy's own are told that something stood in for it, and count it.
#[tokio::test]
async fn members_are_told_what_stood_in() {
    let folder = Folder::with(&[("even", doomed(9))]);
    let server = start(led_config(&folder)).await;
    let (nothing, counts) = (Folder::with(&[]), Metrics::default());
    let member = |counts: &Metrics| {
        let member = builder(server.addr(), "doomed").subscribe(["clicks"]).assignors(nothing.path());
        member.metrics(counts.clone())
    };
    let mut first = Worker::join(member(&Metrics::default())).await;
    let mut second = Worker::join(member(&counts)).await;
    let served = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    for work in &served {
        let told = work.stand_in.as_ref().expect("everybody is told");
        assert_eq!((told.by.as_str(), &work.served_by), ("its own range", &None));
        assert!(told.reason.starts_with("even@9 failed: trap: "), "{}", told.reason);
    }
    let counted = |text: String| text.lines().any(|line| line == "divvy_member_stand_ins_total 0");
    assert!(!counted(counts.text()), "{}", counts.text());
    // A good one takes its place: there is nothing to tell.
    folder.drop_in("even", &even(10));
    let after = together(&mut [&mut first, &mut second], |it| it.generation > served[0].generation).await;
    assert!(after.iter().all(|work| work.stand_in.is_none() && !work.is_stood_in_for()), "{after:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_module_that_is_not_there_is_named_with_its_alias_and_its_folder() {
    let folder = Folder::with(&[]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "g", KAFKAS, &["clicks"]);
    a.share(has(4)).await;
    let it = server.handle().describe(&"g".into()).await.unwrap().unwrap().stand_in.unwrap();
    assert_eq!(it.reason, format!("no module even (alias of range) in {}", folder.path().display()));
    server.stop().await;
}

#[tokio::test]
async fn a_configuration_that_no_module_gets_is_named() {
    let place = tempfile::tempdir().unwrap();
    let assignors = place.path().join("assignors");
    std::fs::create_dir(&assignors).unwrap();
    let log = place.path().join("log");
    write_config(place.path(), &format!("{LED}\nconfig.evn = {{ a = 1 }}\nconfig.even = {{ a = 1 }}"));
    std::fs::write(assignors.join("even.wasm"), even(1)).unwrap();
    let file = place.path().join("divvy.toml");
    let mut server = Running::logged(&["serve", "--config", file.to_str().unwrap(), "--data", "memory"], &log);
    address(&mut server);
    logs(&log, &["no module evn (of config.evn) in", "so far"]).await;
    assert!(!std::fs::read_to_string(&log).unwrap().contains("config.even"));
}

#[tokio::test]
async fn the_log_tells_of_each_file_of_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let assignors = place.path().join("assignors");
    std::fs::create_dir(&assignors).unwrap();
    let log = place.path().join("log");
    write_config(place.path(), LED);
    let file = place.path().join("divvy.toml");
    let mut server = Running::logged(&["serve", "--config", file.to_str().unwrap(), "--data", "memory"], &log);
    let addr = address(&mut server);
    logs(&log, &["no module even (alias of range) in", "so far"]).await;
    let put = |bytes: &[u8]| {
        std::fs::write(assignors.join("new"), bytes).unwrap();
        std::fs::rename(assignors.join("new"), assignors.join("even.wasm")).unwrap();
    };
    put(b"not a module");
    logs(&log, &["a module does not serve", "even.wasm"]).await;
    put(&even(1));
    logs(&log, &["a module was loaded", "even.wasm", "\"version\":1"]).await;
    let mut a = Consumer::join(addr, "g", KAFKAS, &["clicks"]);
    a.share(has(4)).await;
    put(&even(2));
    logs(&log, &["a module was replaced", "\"version\":2"]).await;
    put(&even(1));
    logs(&log, &["a module was replaced by an older version of it", "\"version\":1"]).await;
    std::fs::remove_file(assignors.join("even.wasm")).unwrap();
    logs(&log, &["a module was removed", "\"version\":1"]).await;
    put(&even(1));
    logs(&log, &["\"INFO\"", "older than the version that served before", "\"version\":1", "\"newer\":2"]).await;
    assert_eq!(server.interrupt(), 0);
}

/// A bad fact of one member stops nobody, and whoever makes the plan says whose it is.
#[tokio::test]
async fn what_a_strategy_warns_of_stands_in_its_leaders_log() {
    let place = tempfile::tempdir().unwrap();
    let assignors = place.path().join("assignors");
    std::fs::create_dir(&assignors).unwrap();
    std::fs::write(assignors.join("weighted.wasm"), built("weighted")).unwrap();
    write_config(place.path(), "[[group]]\nmatch = \"led\"\nlead = \"coordinator\"\n");
    let (file, log) = (place.path().join("divvy.toml"), place.path().join("server.log"));
    let mut server = Running::logged(&["serve", "--config", file.to_str().unwrap(), "--data", "memory"], &log);
    let (addr, folder) = (address(&mut server).to_string(), assignors.to_str().unwrap());
    let said = "is not a number from 0: it counts as 1 until the member tells another";
    let join = ["join", "--topic", "clicks", "--assignor", "weighted", "--assignors", folder, "--server", &addr];
    for (group, from) in [("own", "member.log"), ("led", "server.log")] {
        let member_log = place.path().join("member.log");
        let more = ["--fact", "weight=abc", "--group", group];
        let mut member = Running::logged(&[&join[..], &more].concat(), &member_log);
        let id = member.event("assigned")["member"].as_str().unwrap().to_owned();
        logs(&place.path().join(from), &["\"WARN\"", said, &id, &format!("\"{group}\"")]).await;
        let told = std::fs::read_to_string(place.path().join(from)).unwrap();
        let lines = told.lines().filter(|line| line.contains(said));
        let generation = |line: &str| serde_json::from_str::<Value>(line).unwrap()["fields"]["generation"].to_string();
        let mut plans: Vec<String> = lines.map(generation).collect();
        let warnings = plans.len();
        plans.dedup();
        assert_eq!(warnings, plans.len(), "once for a plan: {told}");
        assert_eq!(member.interrupt(), 0);
    }
    assert_eq!(server.interrupt(), 0);
}

/// Waits for a line with all these words.
pub async fn logs(log: &Path, words: &[&str]) {
    within(async {
        let is_there = || {
            let told = std::fs::read_to_string(log).unwrap();
            told.lines().any(|line| words.iter().all(|word| line.contains(word)))
        };
        while !is_there() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_group_tells_that_its_module_does_not_serve() {
    let folder = Folder::with(&[("even", b"not a module".to_vec())]);
    let server = start(led_config(&folder)).await;
    let mut a = Consumer::join(server.addr(), "g", KAFKAS, &["clicks"]);
    a.share(has(4)).await;
    let led = server.handle().describe(&"g".into()).await.unwrap().unwrap().led.unwrap();
    assert!(led.trouble.as_ref().is_some_and(|it| it.contains("even.wasm")), "{led:?}");
    server.stop().await;
}
