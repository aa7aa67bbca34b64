//! `divvy simulate` as it is typed: made-up groups, a group that runs, and mistakes.

use serde_json::{Value, json};
use tokio::task::block_in_place;

use crate::cli_ground::{divvy, fails, json, stdout};
use crate::member_ground::{Folder, Worker, builder, built, partitions, together};
use crate::support::{config, serve};

/// A file of the test's own.
fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn modules_are_compared_through_one_life() {
    let folder = tempfile::tempdir().unwrap();
    let script = file(&folder, "life.txt", "topic t partitions=12\nmembers 3 prefix=w\nlife\nleave w3\n");
    let of = ["simulate", "native", "assignors/sticky.wasm", "cooperative-sticky", "--assignors", "assignors"];
    let report = json(&[&of[..], &["--script", &script]].concat());
    let numbers = |module: &Value| {
        let step = &module["steps"][1];
        json!([
            module["module"],
            step["moved"],
            step["moved_from_present"],
            step["after"]["least"],
            step["after"]["most"]
        ])
    };
    let all: Vec<Value> = report["modules"].as_array().unwrap().iter().map(numbers).collect();
    let expected =
        [json!(["native", 6, 2, 6, 6]), json!(["sticky", 4, 0, 6, 6]), json!(["cooperative-sticky", 4, 0, 6, 6])];
    assert_eq!(all, expected);
    let cost = &report["modules"][1]["steps"][1]["cost"];
    assert!(cost["ms"].as_f64().unwrap() > 0.0 && cost["memory_bytes"].as_u64().unwrap() > 0, "{cost}");
}

#[test]
fn the_example_lives_and_its_page_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("life.html").display().to_string();
    let of = ["simulate", "range", "sticky", "rack-aware", "--assignors", "assignors"];
    let shown = divvy(&[&of[..], &["--script", "tests/examples/life.txt", "--html", &page]].concat());
    let text = stdout(&shown);
    assert!(shown.status.success(), "{text}{}", String::from_utf8_lossy(&shown.stderr));
    assert!(
        text.contains("IN ALL") && text.contains("rack-aware@1, eager") && text.contains("rolling-restart"),
        "{text}"
    );
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(
        html.ends_with("</html>\n") && html.matches("role=\"img\"").count() == 7,
        "{} charts",
        html.matches("role=\"img\"").count()
    );
}

#[test]
fn a_seed_is_a_life_to_the_byte() {
    let of = ["simulate", "sticky", "uniform", "--assignors", "assignors", "--members", "4", "--topics", "a=8,b=3"];
    let life = |seed: &str| {
        let more = ["--racks", "x,y", "--random", seed, "--steps", "12", "--without-times", "--json"];
        stdout(&divvy(&[&of[..], &more].concat()))
    };
    let once = life("7");
    assert!(once.contains("\"seed\":7") && !once.contains("\"doubled_ms\":1"), "{once}");
    assert_eq!(once, life("7"));
    assert_ne!(once, life("8"));
}

#[test]
fn it_teaches_and_refuses_in_sentences() {
    let taught = divvy(&["simulate"]);
    assert!(taught.status.success() && stdout(&taught).contains("--from-group"));
    let folder = tempfile::tempdir().unwrap();
    let script = file(&folder, "life.txt", "topic t partitions=12\nmembers 3\nlife\nleave m1\nlaeve m2\n");
    fails(&["simulate", "native", "--script", &script], 2, &["life.txt:5: ", "did you mean `leave`?"]);
    fails(&["simulate", "native", "--script", "no/such.txt"], 4, &["no/such.txt"]);
    fails(&["simulate", "native"], 2, &["--script FILE or --random SEED"]);
    let group = ["--members", "2", "--topics", "t=4", "--random", "1"];
    fails(&[&["simulate", "stikcy", "--assignors", "assignors"], &group[..]].concat(), 4, &["stikcy", "sticky"]);
    for (more, words) in
        [(["--fact", "zz*:weight=3"], "zz*:weight=3"), (["--set", "stikcy.x=1"], "no strategy stikcy is")]
    {
        fails(&[&["simulate", "native"], &group[..], &more].concat(), 2, &[words]);
    }
    fails(&[&["simulate", ".", "--assignors", "assignors"], &group[..]].concat(), 4, &[". is a folder"]);
    fails(&[&["simulate", "README.wasm"], &group[..]].concat(), 4, &["README.wasm"]);
    let large = ["--members", "2000", "--topics", "t=200000", "--random", "1", "--steps", "500"];
    fails(&[&["simulate", "native"], &large[..]].concat(), 2, &["generations", "at most", "fewer steps"]);
    fails(&["simulate", "native", "--members", "2001", "--topics", "t=1", "--random", "1"], 2, &["2001", "2000"]);
    fails(&["simulate", "native", "--members", "1", "--topics", "t=200001", "--random", "1"], 2, &["200001", "200000"]);
    let twice = ["--members", "1", "--topics", "t=150000,u=150000", "--random", "1"];
    fails(&[&["simulate", "native"], &twice[..]].concat(), 2, &["300000 partitions in all: at most 200000"]);
    fails(&["simulate", "native", "--random", "1"], 2, &["--members N"]);
    fails(&[&["simulate", "native", "--html", "no/such/page.html"], &group[..]].concat(), 1, &["no/such/page.html"]);
    fails(
        &["simulate", "native", "--random", "1", "--from-group", "g", "--server", "127.0.0.1:1"],
        3,
        &["127.0.0.1:1", "--server"],
    );
}

#[test]
fn a_worker_of_connect_is_played_with_connectors_for_topics() {
    let of = ["simulate", "connect", "--assignors", "assignors", "--members", "3", "--topics", "files=5,logs=2"];
    let report = json(&[&of[..], &["--random", "3", "--steps", "6"]].concat());
    let played = &report["modules"][0];
    assert_eq!((&played["protocol_type"], &played["mode"]), (&json!("connect"), &json!("cooperative")));
    // Two connectors and seven tasks.
    assert_eq!(played["steps"][0]["after"]["partitions"], 9);
    assert_eq!((&played["total"]["doubled_ms"], &played["total"]["faults"]), (&json!(0), &json!(0)));
}

/// As in a live group, where nobody offers it then.
#[test]
fn a_module_that_is_refused_is_played_by_what_stands_in_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.wasm");
    let mut damaged = std::fs::read("assignors/uniform.wasm").unwrap();
    damaged.extend([0xff, 0x00]);
    std::fs::write(&path, damaged).unwrap();
    let path = path.to_str().unwrap();
    let group = ["--assignors", "assignors", "--members", "3", "--topics", "t=12", "--random", "1", "--steps", "3"];
    fails(&[&["simulate", path], &group[..]].concat(), 1, &["damaged.wasm"]);
    let report = json(&[&["simulate", path, "range", "--fallback", "sticky"], &group[..]].concat());
    let (refused, range) = (&report["modules"][0], &report["modules"][1]);
    let fault = refused["steps"][0]["faults"][0].as_str().unwrap();
    assert!(fault.starts_with("missing: ") && fault.ends_with("served by the group's fall-back sticky"), "{fault}");
    assert_eq!((&refused["fallback"], &range["total"]["faults"]), (&json!("sticky"), &json!(0)));
    assert_eq!(refused["steps"][0]["after"]["unowned"], 0);
    fails(&[&["simulate", "range", "--fallback", "stikcy"], &group[..]].concat(), 4, &["stikcy", "sticky"]);
}

#[test]
fn two_modules_of_one_name_and_version_are_never_taken_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let group = ["--members", "2", "--topics", "t=4", "--random", "1"];
    for name in ["a.wasm", "b.wasm"] {
        std::fs::copy("assignors/sticky.wasm", folder.path().join(name)).unwrap();
    }
    let of = ["simulate", "sticky", "--assignors", folder.path().to_str().unwrap()];
    assert!(divvy(&[&of[..], &group].concat()).status.success(), "twice the same module is one");
    // Another module of this name and version: an empty custom section more.
    let mut other = std::fs::read(folder.path().join("b.wasm")).unwrap();
    other.extend([0, 2, 1, b'x']);
    std::fs::write(folder.path().join("b.wasm"), other).unwrap();
    fails(&[&of[..], &group].concat(), 1, &["a.wasm and ", "b.wasm are different modules", "sticky, version 1"]);
    let bench = ["assignor", "bench", "assignors/sticky.wasm", "--group", "small"];
    let measured = |more: &[&str]| json(&[&bench[..], more].concat());
    let both = measured(&["--assignors", folder.path().to_str().unwrap()]);
    let (one, two) = (both["rows"][0]["strategy"].as_str().unwrap(), both["rows"][1]["strategy"].as_str().unwrap());
    assert!(one != two && one.starts_with("sticky (") && two.starts_with("sticky ("), "{one} {two}");
    fails(
        &[&bench[..], &["--assignors", "assignors", "--beside", "range,nope"]].concat(),
        4,
        &["--beside nope", "range"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_group_is_a_start_and_notices_nothing() {
    let server = serve(config()).await;
    let addr = server.addr().to_string();
    let member = |name: &str| builder(&addr, "g").subscribe(["clicks"]).client_id(name);
    let (mut one, mut other) = (Worker::join(member("one")).await, Worker::join(member("other")).await);
    let both = together(&mut [&mut one, &mut other], |it| partitions(it).len() == 2).await;

    let folder = tempfile::tempdir().unwrap();
    let script = file(&folder, "life.txt", "leave other\n");
    let of = ["simulate", "sticky", "--assignors", "assignors", "--from-group", "g", "--server", &addr];
    let report = block_in_place(|| json(&[&of[..], &["--script", &script]].concat()));
    let step = |number: usize| {
        let step = &report["modules"][0]["steps"][number];
        json!([step["title"], step["moved"], step["after"]["members"], step["after"]["least"], step["after"]["most"]])
    };
    assert_eq!(step(0), json!(["as it is", 0, 2, 2, 2]));
    assert_eq!(step(1), json!(["all offer the strategy", 0, 2, 2, 2]));
    assert_eq!(step(2), json!(["leave other", 2, 1, 4, 4]));
    assert_eq!(report["from_group"], "g");

    block_in_place(|| {
        fails(
            &["simulate", "native", "--random", "1", "--from-group", "h", "--server", &addr],
            4,
            &["nobody is in group h"],
        )
    });
    // Whoever had joined, for however short a time, would have been a generation.
    let mut late = Worker::join(member("late")).await;
    let share = late.assigned_with(|it| !partitions(it).is_empty()).await;
    assert_eq!(share.generation.0, both[0].generation.0 + 1, "only the late one was a reason to rebalance");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_foretold_comes_true() {
    let server = serve(config()).await;
    let addr = server.addr().to_string();
    let modules = Folder::with(&[("cooperative-sticky", built("cooperative-sticky"))]);
    let member = |name: &str| {
        let member = builder(&addr, "g").subscribe(["clicks"]).client_id(name);
        member.assignors(modules.path()).assignor_names(["cooperative-sticky"])
    };
    let mut one = Worker::join(member("one")).await;
    one.assigned_with(|it| partitions(it).len() == 4).await;
    let mut two = Worker::join(member("two")).await;
    let before = together(&mut [&mut one, &mut two], |it| partitions(it).len() == 2).await;

    let folder = tempfile::tempdir().unwrap();
    let script = file(&folder, "life.txt", "join three\n");
    let of = ["simulate", "cooperative-sticky", "--assignors", "assignors", "--from-group", "g", "--server", &addr];
    let report = block_in_place(|| json(&[&of[..], &["--script", &script]].concat()));
    let foretold = &report["modules"][0]["steps"][2];

    let mut three = Worker::join(member("three")).await;
    let after = together(&mut [&mut one, &mut two, &mut three], |it| (1..=2).contains(&partitions(it).len())).await;
    let comes = |at: usize| {
        let had = before.get(at).map(partitions).unwrap_or_default();
        partitions(&after[at]).into_iter().filter(|it| !had.contains(it)).count()
    };
    let counts: Vec<usize> = after.iter().map(|it| partitions(it).len()).collect();
    let rebalances = after[0].generation.0 - before[0].generation.0;
    let came = json!([rebalances, (0..3).map(comes).sum::<usize>(), counts.iter().min(), counts.iter().max()]);
    let said = &foretold["after"];
    assert_eq!(came, json!([foretold["rebalances"], foretold["moved"], said["least"], said["most"]]), "{foretold}");
}
