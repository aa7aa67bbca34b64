//! A thousand members in one process, on one runtime, in one group: what they take of memory, and a rebalance of all.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use divvy::client::{Member, Rebalance};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Options;
use crate::ours::{self, Manner};
use crate::report::{Bar, Report, median};
use crate::site;

const MEMBERS: usize = 1_000;
const PARTITIONS: usize = 1_000;
const ROUNDS: usize = 5;

/// As members have it unless they say otherwise.
const HEARTBEAT: Duration = Duration::from_secs(3);

/// A rebalance that takes longer has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// The members are a process of their own: only what they take is measured.
pub fn run(_: &Options, report: &mut Report) -> Result<()> {
    report.scenario("thousand", &format!("{MEMBERS} members of one process and one group, {PARTITIONS} partitions"));
    let site = site::divvy()?;
    let topic = site.topic("thousand", PARTITIONS)?;
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args(["--thousand", &site.address, &topic]).stderr(Stdio::inherit()).output()?;
    let said: Value = serde_json::from_slice(&output.stdout).context("the thousand said nothing")?;
    let figure = |name: &str| said[name].as_f64().with_context(|| format!("the thousand say no {name}: {said}"));
    report.note("formation", figure("formed_s")?, "s");
    report.figure("a full rebalance", figure("rebalance_s")?, "s", Bar::Most(3.0));
    report.figure("memory of the process", figure("rss_mb")?, "MB", Bar::Most(200.0));
    Ok(())
}

/// `--thousand ADDRESS TOPIC`: is the members, and says what they took.
pub fn members(arguments: &[String]) -> Result<()> {
    let [address, topic] = arguments else { bail!("--thousand ADDRESS TOPIC") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(live(address, topic))
}

async fn live(address: &str, topic: &str) -> Result<()> {
    let modules = ours::modules()?;
    let manner = Manner { heartbeat: HEARTBEAT, ..Manner::new(address, "thousand", topic, "range") };
    let (tell, mut told) = unbounded_channel();
    let began = Instant::now();
    let mut stops = Vec::new();
    for at in 0..MEMBERS {
        let (stop, stopped) = tokio::sync::oneshot::channel();
        tokio::spawn(work(manner.builder(&format!("m{at}"), &modules).join().await?, tell.clone(), stopped));
        stops.push(stop);
    }
    whole(&mut told, MEMBERS).await?;
    let formed_s = began.elapsed().as_secs_f64();
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        // All others have to come.
        let (stop, members) = (stops.remove(0), stops.len());
        let began = Instant::now();
        let _ = stop.send(());
        whole(&mut told, members).await?;
        rounds.push(began.elapsed().as_secs_f64());
    }
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS in /proc")?;
    let rss_kb: f64 = line.trim().trim_end_matches(" kB").parse()?;
    println!("{}", json!({ "formed_s": formed_s, "rebalance_s": median(&rounds), "rss_mb": rss_kb * 1024.0 / 1e6 }));
    Ok(())
}

/// Tells each assignment: its generation, and how many partitions.
async fn work(mut member: Member, tell: UnboundedSender<(i32, usize)>, mut stop: tokio::sync::oneshot::Receiver<()>) {
    loop {
        let news = tokio::select! {
            news = member.next() => news,
            _ = &mut stop => {
                member.leave().await;
                return;
            }
        };
        match news {
            Some(Rebalance::Assigned(work)) => {
                let _ = tell.send((work.generation.0, ours::partitions(&work.share).len()));
            }
            Some(Rebalance::Failed { reason }) => eprintln!("{reason}"),
            Some(_) => {}
            None => return,
        }
    }
}

/// Waits until so many members have all partitions in one generation.
async fn whole(told: &mut UnboundedReceiver<(i32, usize)>, members: usize) -> Result<()> {
    let (mut newest, mut count, mut owned) = (0, 0, 0);
    while count < members || owned < PARTITIONS {
        let next = tokio::time::timeout(LIMIT, told.recv()).await;
        let next = next.with_context(|| format!("{count} of {members} came into generation {newest}"))?;
        let (generation, partitions) = next.context("the members are gone")?;
        if generation > newest {
            (newest, count, owned) = (generation, 0, 0);
        }
        if generation == newest {
            count += 1;
            owned += partitions;
        }
    }
    Ok(())
}
