//! `divvy run`: children that are started, drained, killed and started anew, as real processes at a real coordinator.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cli_ground::{Running, fails, signal};
use crate::examples::{Stage, names, until};

/// A child that writes down that it works, notices if another one works on the same, and needs a moment to finish.
/// While it works it holds `held/NAME`, and its lock ends with it, however it ends.
const WORKER: &str = r#"
    name="${DIVVY_TOPIC:-all}-${DIVVY_PARTITION:-all}"
    exec 9> "$PLACE/lock-$name"
    flock -n 9 || echo "$name" >> "$PLACE/overlaps"
    trap 'sleep 0.2; rm -f "$PLACE/held/$name"; exit 0' TERM
    echo "$DIVVY_MEMBER $$" > "$PLACE/.$name.$$" && mv "$PLACE/.$name.$$" "$PLACE/held/$name"
    echo "working"
    while :; do sleep 0.05 9>&-; done
"#;

/// A folder in which workers write down what they do.
struct Ground {
    stage: Stage,
    place: PathBuf,
    modules: PathBuf,
}

impl Ground {
    fn with(settings: &str, modules: &[&str]) -> Self {
        let stage = Stage::with(settings);
        let (place, modules) = (stage.path("place"), stage.modules(modules));
        fs::create_dir_all(place.join("held")).unwrap();
        Self { stage, place, modules }
    }

    fn of_partitions(partitions: usize) -> Self {
        Self::with(&format!("[[topic]]\nname = \"clicks\"\npartitions = {partitions}\n"), &[])
    }

    fn run(&self, arguments: &[&str], script: &str) -> Running {
        let mut all = vec!["run", "--server", &self.stage.kafka, "--group", "g"];
        let modules = self.modules.to_str().unwrap();
        let script = format!("PLACE='{}'\n{script}", self.place.display());
        all.extend(["--assignors", modules, "--json"]);
        all.extend(arguments);
        all.extend(["--", "sh", "-c", &script]);
        Running::with(&all, &[])
    }

    /// Who works on what: `clicks-0` and the id of the member.
    fn held(&self) -> Vec<(String, String)> {
        let word = |name: String| {
            let text = fs::read_to_string(self.place.join("held").join(&name)).unwrap_or_default();
            (name, text.split(' ').next().unwrap_or_default().to_owned())
        };
        names(&self.place.join("held")).into_iter().map(word).collect()
    }

    fn pids(&self) -> BTreeSet<u32> {
        let texts = names(&self.place.join("held")).into_iter().map(|it| self.place.join("held").join(it));
        let pids = texts.filter_map(|path| fs::read_to_string(path).ok());
        pids.map(|text| text.split_whitespace().nth(1).unwrap().parse().unwrap()).collect()
    }

    fn until_all_held(&self, partitions: usize, members: usize) {
        until(&format!("{partitions} partitions are with {members} members"), || {
            let held = self.held();
            let owners: BTreeSet<_> = held.iter().map(|(_, member)| member.clone()).collect();
            held.len() == partitions && owners.len() == members && !owners.contains("")
        });
    }

    fn nobody_overlapped(&self) {
        let overlaps = fs::read_to_string(self.place.join("overlaps")).unwrap_or_default();
        assert_eq!(overlaps, "", "two children worked on the same at a time");
    }
}

fn parent(pid: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim().parse().unwrap()
}

fn is_alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}/cmdline")).exists()
        && !fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default().contains(") Z ")
}

#[test]
fn each_partition_is_handed_over_when_its_child_has_finished() {
    let ground = Ground::of_partitions(4);
    let mut first = ground.run(&["--topic", "clicks", "--each"], WORKER);
    ground.until_all_held(4, 1);
    let mut second = ground.run(&["--topic", "clicks", "--each"], WORKER);
    ground.until_all_held(4, 2);
    // One leaves in good order: its children finish first.
    assert_eq!(first.terminate(), 0);
    ground.until_all_held(4, 1);
    assert_eq!(second.terminate(), 0);
    assert_eq!(names(&ground.place.join("held")), BTreeSet::new(), "every child has finished");
    ground.nobody_overlapped();
}

#[test]
fn one_child_has_the_whole_share_in_its_environment() {
    let ground = Ground::of_partitions(3);
    let script =
        r#"echo "$DIVVY_GROUP $DIVVY_PARTITIONS $DIVVY_PARTITIONS_JSON ${DIVVY_TOPIC-none}"; echo oops >&2; sleep 100"#;
    let mut run = ground.run(&["--topic", "clicks", "--instance-id", "i-1"], script);
    assert_eq!(run.event("child_started")["child"], "i-1");
    let mut lines: Vec<Value> = vec![run.event("output"), run.event("output")];
    lines.sort_by_key(|it| it["stream"].to_string());
    assert_eq!((&lines[0]["stream"], &lines[0]["line"]), (&Value::from("stderr"), &Value::from("oops")));
    assert_eq!(lines[1]["line"], r#"g clicks:0,1,2 {"clicks":[0,1,2]} none"#);
    assert_eq!(run.terminate(), 0);
    assert_eq!(run.event("ended")["place_kept_ms"], 45_000, "under a lasting name it does not leave");
}

#[test]
fn topics_that_the_coordinator_has_not_come_from_the_cluster_that_has_them() {
    let cluster = Stage::with("[[topic]]\nname = \"clicks\"\npartitions = 3\n");
    let ground = Ground::with("topics.auto.create = \"off\"\n", &[]);
    let script = r#"echo "$DIVVY_PARTITIONS"; sleep 100"#;
    let mut run = ground.run(&["--topic", "clicks", "--kafka", &cluster.kafka], script);
    assert_eq!(run.event("output")["line"], "clicks:0,1,2");
    assert_eq!(run.terminate(), 0);
}

#[test]
fn children_and_all_that_they_started_die_with_a_killed_divvy() {
    let ground = Ground::of_partitions(2);
    // Each has a process of its own behind it that asks for nothing.
    let script = format!(
        "sh -c 'trap \"\" TERM; echo $$ > \"{0}/behind-$DIVVY_PARTITION\"; sleep 1000' &\n{WORKER}",
        ground.place.display()
    );
    let mut run = ground.run(&["--topic", "clicks", "--each"], &script);
    ground.until_all_held(2, 1);
    let behind = || -> Vec<u32> {
        let read = |it: i32| fs::read_to_string(ground.place.join(format!("behind-{it}"))).ok()?.trim().parse().ok();
        (0..2).filter_map(read).collect()
    };
    until("their processes are there", || behind().len() == 2);
    let all: Vec<u32> = ground.pids().into_iter().chain(behind()).collect();
    assert!(all.len() == 4 && all.iter().all(|pid| is_alive(*pid)));
    run.kill();
    until("all of them are dead", || !all.iter().any(|pid| is_alive(*pid)));
}

#[test]
fn a_child_whose_keeper_is_killed_is_started_anew_when_its_whole_group_is_dead() {
    let ground = Ground::of_partitions(1);
    // The process behind it asks for nothing, and holds a lock that the next child must find free.
    let script = r#"
        exec 9> "$PLACE/lock"
        flock -n 9 || echo two >> "$PLACE/overlaps"
        sh -c 'trap "" TERM; echo $$ > "$PLACE/behind.new"; mv "$PLACE/behind.new" "$PLACE/behind"; while :; do sleep 1; done' &
        while :; do sleep 0.05; done
    "#;
    let script = format!("export PLACE\n{script}");
    let mut run = ground.run(&["--topic", "clicks", "--each"], &script);
    let behind = || -> Option<u32> { fs::read_to_string(ground.place.join("behind")).ok()?.trim().parse().ok() };
    until("its process is there", || behind().is_some());
    let first = behind().unwrap();
    let keeper = parent(parent(first));
    assert_eq!(fs::read_to_string(format!("/proc/{keeper}/comm")).unwrap().trim(), "keep-child");
    signal(keeper, "KILL");
    run.event("child_failed");
    assert!(!is_alive(first));
    until("the next one is there", || behind() != Some(first));
    assert_eq!(run.terminate(), 0);
    ground.nobody_overlapped();
}

#[test]
fn what_left_its_group_is_waited_for_and_killed_too() {
    let ground = Ground::of_partitions(1);
    let script = r#"
        setsid sh -c 'trap "" TERM; echo $$ > "$PLACE/own.new"; mv "$PLACE/own.new" "$PLACE/own"; while :; do sleep 1; done' &
        trap 'exit 0' TERM
        while :; do sleep 0.05; done
    "#;
    let script = format!("export PLACE\n{script}");
    let mut run = ground.run(&["--topic", "clicks", "--each", "--grace-ms", "500"], &script);
    let own = || -> Option<u32> { fs::read_to_string(ground.place.join("own")).ok()?.trim().parse().ok() };
    until("it is there", || own().is_some());
    signal(run.id(), "TERM");
    assert_eq!(run.event("child_killed")["cause"], "grace");
    run.event("left");
    assert!(!is_alive(own().unwrap()));
}

#[test]
fn what_it_says_that_cannot_be_written_is_a_failure_with_its_reason() {
    let ground = Ground::of_partitions(1);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let modules = ground.modules.to_str().unwrap();
    let arguments =
        ["run", "--server", &ground.stage.kafka, "--group", "g", "--topic", "clicks", "--assignors", modules];
    let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
    let output = command.args(arguments).args(["--", "sleep", "100"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"), "{output:?}");
}

#[test]
fn a_divvy_that_hangs_loses_its_children_before_another_has_their_work() {
    let ground = Ground::of_partitions(2);
    let hangs = ground.run(&["--topic", "clicks", "--each", "--session-timeout-ms", "10000"], WORKER);
    ground.until_all_held(2, 1);
    let (pids, before) = (ground.pids(), ground.held());
    signal(hangs.id(), "STOP");
    let mut other = ground.run(&["--topic", "clicks", "--each"], WORKER);
    until("the other one works", || {
        let held = ground.held();
        held.len() == 2 && held.iter().zip(&before).all(|(now, it)| now != it && !now.1.is_empty())
    });
    assert!(!pids.iter().any(|pid| is_alive(*pid)));
    ground.nobody_overlapped();
    assert_eq!(other.terminate(), 0);
}

#[test]
fn who_does_not_end_in_time_is_killed_with_all_that_it_started() {
    let ground = Ground::of_partitions(1);
    let script = r#"trap '' TERM; echo $$ > "$PLACE/pid"; echo working; while :; do sleep 1; done"#;
    let arguments = ["--topic", "clicks", "--each", "--grace-ms", "300", "--ready-line", "working"];
    let mut run = ground.run(&arguments, script);
    run.event("child_ready");
    let pid: u32 = fs::read_to_string(ground.place.join("pid")).unwrap().trim().parse().unwrap();
    signal(run.id(), "TERM");
    assert_eq!(run.event("child_killed")["cause"], "grace");
    assert_eq!(run.event("child_ended")["code"], 128 + 9);
    run.event("left");
    assert!(!is_alive(pid));
}

#[test]
fn a_child_that_keeps_failing_is_started_again_and_then_its_work_is_another_members() {
    work_that_fails_is_another_members(&[]);
}

#[test]
fn a_child_that_keeps_failing_gives_up_the_place_of_a_lasting_name() {
    work_that_fails_is_another_members(&["--instance-id", "i-1"]);
}

fn work_that_fails_is_another_members(identity: &[&str]) {
    let ground = Ground::of_partitions(2);
    let arguments = [&["--topic", "clicks", "--each", "--max-restarts", "1"][..], identity].concat();
    let mut fails = ground.run(&arguments, r#"[ "$DIVVY_PARTITION" = 0 ] || exec sleep 100; echo no luck; exit 7"#);
    let first = fails.event("child_failed");
    assert_eq!((&first["code"], &first["failures"]), (&Value::from(7), &Value::from(1)));
    let wait = first["again_in_ms"].as_u64().unwrap();
    assert!((400..=600).contains(&wait), "{wait}");
    let second = fails.event("child_failed");
    assert_eq!((&second["failures"], &second["again_in_ms"]), (&Value::from(2), &Value::Null));
    // The other child is asked to end, and the work is there for whoever is in order.
    assert_eq!(fails.event("child_draining")["child"], "clicks-1");
    assert_eq!(fails.wait(), 1);
    let _other = ground.run(&["--topic", "clicks", "--each"], WORKER);
    ground.until_all_held(2, 1);
}

#[test]
fn a_writer_has_a_child_only_while_it_is_active_and_a_token() {
    let ground = Ground::with("", &["active-standby"]);
    let script = format!("echo \"$DIVVY_EPOCH\" >> \"{}/epochs\"\n{WORKER}", ground.place.display());
    let arguments = ["--single-writer", "--session-timeout-ms", "6000"];
    let mut first = ground.run(&arguments, &script);
    ground.until_all_held(1, 1);
    let active = ground.held();
    let mut second = ground.run(&arguments, &script);
    second.event("assigned");
    until("one of them writes", || ground.held().len() == 1);
    first.kill();
    until("the other one writes", || ground.held().first().is_some_and(|it| *it != active[0] && !it.1.is_empty()));
    assert_eq!(second.terminate(), 0);
    ground.nobody_overlapped();
    let epochs = fs::read_to_string(ground.place.join("epochs")).unwrap();
    let epochs: Vec<i32> = epochs.lines().map(|it| it.parse().unwrap()).collect();
    assert!(epochs.len() >= 2 && epochs.windows(2).all(|pair| pair[0] < pair[1]), "{epochs:?}");
}

#[test]
fn step_by_step_the_children_of_kept_partitions_are_not_touched() {
    let ground = Ground::with("[[topic]]\nname = \"clicks\"\npartitions = 4\n", &["cooperative-sticky"]);
    let arguments = ["--topic", "clicks", "--each", "--assignor", "cooperative-sticky"];
    let _first = ground.run(&arguments, WORKER);
    ground.until_all_held(4, 1);
    let before = ground.pids();
    let _second = ground.run(&arguments, WORKER);
    ground.until_all_held(4, 2);
    let after = ground.pids();
    assert_eq!(before.intersection(&after).count(), 2, "{before:?} {after:?}");
    ground.nobody_overlapped();
}

/// The keeper hears of it while its child is not yet its command. What was lost would be waited for to the end of the
/// silence, and the child killed then.
#[test]
fn a_child_that_is_asked_to_end_while_it_is_started_has_heard_it() {
    for signal in ["1", "2", "10", "15"] {
        let mut keeper = Command::new(env!("CARGO_BIN_EXE_divvy"));
        keeper.args(["keep-child", "--drain-signal", signal, "--silence-ms", "20000", "--", "sleep", "1000"]);
        let mut keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut orders = keeper.stdin.take().unwrap();
        orders.write_all(b"d").unwrap();
        let code = keeper.wait().unwrap().code();
        drop(orders);
        assert_eq!(code, signal.parse::<i32>().ok().map(|number| 128 + number));
    }
}

#[test]
fn what_cannot_be_run_is_said_before_the_group_is_joined() {
    let run = ["run", "--group", "g", "--topic", "t"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    fails(&with(&["--", "no-such-command"]), 4, &["no-such-command", "$PATH"]);
    fails(&with(&["--", "./no/such/file"]), 4, &["./no/such/file"]);
    fails(&with(&["--", "./src"]), 4, &["./src is a folder"]);
    fails(&with(&["--", "./Cargo.toml"]), 4, &["./Cargo.toml may not be executed", "chmod +x"]);
    fails(&with(&[]), 2, &["COMMAND"]);
    fails(&with(&["--drain-signal", "KILL", "--", "true"]), 2, &["TERM"]);
    fails(&with(&["--rebalance-timeout-ms", "1000", "--", "true"]), 2, &["--grace-ms 30000"]);
    fails(&["run", "--group", "g", "--", "true"], 2, &["--topic"]);
    fails(&["run", "--group", "g", "--single-writer", "--each", "--", "true"], 2, &["--each"]);
}
