//! Commits that are durable before they are answered, beside a bare log that does the same with one append and one sync
//! for all that one wake-up brought; then what is left of them after `kill -9`.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, ensure};
use divvy::wire::frame::encode_response;
use divvy::wire::messages::offset_commit::{OffsetCommitResponsePartition, OffsetCommitResponseTopic};
use divvy::wire::messages::{OffsetCommitResponse, OffsetFetchResponse};
use divvy::wire::{ErrorCode, Text};

use crate::Options;
use crate::closed_loop::{Figures, Load, Template};
use crate::process::Server;
use crate::report::{Bar, Report, median, ratio};
use crate::requests::{COMMIT_VERSION, FETCH_VERSION, ask, commit, fetch, frame};

const GROUPS: usize = 100;
const CONNECTIONS: usize = 16;
const DEPTH: usize = 16;
const PARTITIONS: i32 = 10;
const WIDE: i32 = 2_000;
const TOPICS: &str = "[[topic]]\nname = \"small\"\npartitions = 10\n[[topic]]\nname = \"wide\"\npartitions = 2000\n";
const WARM: Duration = Duration::from_secs(1);
const LENGTH: Duration = Duration::from_secs(3);

pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    let folder = tempfile::Builder::new().tempdir_in(&options.disk)?;
    let divvy = Server::divvy(folder.path(), "data", TOPICS)?;
    let answer = answer("small", 0..PARTITIONS)?.len() + 4;
    let log = folder.path().join("log");
    let log = Server::bare(&["log", &answer.to_string(), &log.to_string_lossy()])?;
    prepare(&divvy)?;
    let mut small = Load::connect(divvy.addr(), CONNECTIONS, DEPTH, templates("small", true)?)?;
    let mut wide = Load::connect(divvy.addr(), CONNECTIONS, DEPTH, templates("wide", true)?)?;
    let mut bare = Load::connect(log.addr(), CONNECTIONS, DEPTH, templates("small", false)?)?;
    let (mut of_small, mut of_wide, mut of_log) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.repeats {
        of_log.push(bare.run(&log, WARM, LENGTH)?);
        of_small.push(small.run(&divvy, WARM, LENGTH)?);
        of_wide.push(wide.run(&divvy, WARM, LENGTH)?);
    }
    let wrong: usize = of_small.iter().chain(&of_wide).map(|figures| figures.wrong).sum();
    ensure!(wrong == 0, "{wrong} commits were answered with an error");
    let about = format!("{GROUPS} groups, {CONNECTIONS} connections, {DEPTH} in flight, {PARTITIONS} offsets; redb");
    report.scenario("commits", &about);
    let all = |figures: &[Figures], of: fn(&Figures) -> f64| -> Vec<f64> { figures.iter().map(of).collect() };
    let (rate, p99_ms) = (|it: &Figures| it.rate, |it: &Figures| it.p99_us / 1e3);
    report.note("commits in a second: bare synced log", median(&all(&of_log, rate)), "/s");
    report.note("commits in a second", median(&all(&of_small, rate)), "/s");
    report.figure("divvy/log", ratio(&all(&of_small, rate), &all(&of_log, rate)), "", Bar::Least(0.1));
    report.figure("p99", median(&all(&of_small, p99_ms)), "ms", Bar::Most(50.0));
    report.note("p99: bare synced log", median(&all(&of_log, p99_ms)), "ms");
    report.note("CPU of a commit", median(&all(&of_small, |it| it.cpu_us)), "us");
    report.note(&format!("commits in a second: 10 of {WIDE} partitions"), median(&all(&of_wide, rate)), "/s");
    report.figure("10 of 2,000 / 10 of 10", ratio(&all(&of_wide, rate), &all(&of_small, rate)), "", Bar::Least(0.7));
    report.note("CPU of a commit: 10 of 2,000", median(&all(&of_wide, |it| it.cpu_us)), "us");
    let acknowledged = small.until_killed(divvy, LENGTH)?;
    let (older, missing) = verify(folder.path(), &acknowledged)?;
    report.note("groups with acknowledged commits at kill -9", acknowledged.len() as f64, "");
    report.figure("older after kill -9", older as f64, "", Bar::Most(0.0));
    report.figure("missing after kill -9", missing as f64, "", Bar::Most(0.0));
    report.noise(&all(&of_small, |it| it.seen.others));
    Ok(())
}

fn group(number: usize) -> Text {
    Text::from(format!("commits-{number}"))
}

/// Each group commits other partitions of the wide topic.
fn partitions(topic: &str, group: usize) -> Range<i32> {
    let first = if topic == "wide" { (group as i32 * 70) % (WIDE - PARTITIONS) } else { 0 };
    first..first + PARTITIONS
}

/// Every group has committed the whole wide topic before.
fn prepare(divvy: &Server) -> Result<()> {
    for number in 0..GROUPS {
        let answer: OffsetCommitResponse =
            ask(divvy.addr(), COMMIT_VERSION, &commit(&group(number), "wide", 0..WIDE, 1))?;
        let fine = answer.topics.iter().flat_map(|topic| &topic.partitions).all(|it| it.error_code == ErrorCode::None);
        ensure!(fine, "the wide topic could not be committed");
    }
    Ok(())
}

/// The answer to a commit that went well, behind its correlation id.
fn answer(topic: &str, partitions: Range<i32>) -> Result<Rc<[u8]>> {
    let partition = |partition_index| OffsetCommitResponsePartition { partition_index, error_code: ErrorCode::None };
    let topic = OffsetCommitResponseTopic { name: Text::from(topic), partitions: partitions.map(partition).collect() };
    let answer = OffsetCommitResponse { topics: vec![topic], ..Default::default() };
    Ok(Rc::from(&encode_response(COMMIT_VERSION, 0, &answer)?[8..]))
}

fn templates(topic: &str, is_checked: bool) -> Result<Vec<Template>> {
    // A number that stands nowhere else in the frame.
    const PLACE: i64 = 0x7a61_9c3e_5d42_81f7;
    let template = |number| -> Result<Template> {
        let partitions = partitions(topic, number);
        let request = commit(&group(number), topic, partitions.clone(), PLACE);
        let frame = frame(COMMIT_VERSION, 0, &request)?.to_vec();
        let counters = frame.windows(8).enumerate().filter(|(_, window)| *window == PLACE.to_be_bytes());
        let counters: Rc<[usize]> = counters.map(|(at, _)| at).collect();
        let answer = if is_checked { Some(answer(topic, partitions)?) } else { None };
        Ok(Template { frame, counters, answer })
    };
    (0..GROUPS).map(template).collect()
}

/// How many partitions of a restarted server have an older offset than was acknowledged, or none.
fn verify(folder: &Path, acknowledged: &HashMap<usize, i64>) -> Result<(usize, usize)> {
    let divvy = Server::divvy(folder, "data", TOPICS)?;
    let (mut older, mut missing) = (0, 0);
    for (number, least) in acknowledged {
        let answer: OffsetFetchResponse = ask(divvy.addr(), FETCH_VERSION, &fetch(&group(*number)))?;
        let topics = answer.groups.iter().flat_map(|group| &group.topics).filter(|topic| &*topic.name == "small");
        let found: HashMap<i32, i64> = topics
            .flat_map(|topic| &topic.partitions)
            .map(|partition| (partition.partition_index, partition.committed_offset))
            .collect();
        for partition in partitions("small", *number) {
            match found.get(&partition) {
                Some(offset) => older += usize::from(offset < least),
                None => missing += 1,
            }
        }
    }
    Ok((older, missing))
}
