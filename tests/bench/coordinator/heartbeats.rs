//! Heartbeats: what most of a coordinator's requests are, beside a server that only echoes.

use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, ensure};
use divvy::wire::frame::encode_response;
use divvy::wire::messages::HeartbeatResponse;

use crate::Options;
use crate::closed_loop::{Figures, Load, Template};
use crate::crew::Crew;
use crate::process::Server;
use crate::report::{Bar, Report, median, ratio};
use crate::requests::{HEARTBEAT_VERSION, assignment, frame, heartbeat, subscription};

const GROUPS: usize = 100;
const MEMBERS: usize = 10;
const CONNECTIONS: usize = 16;
const WARM: Duration = Duration::from_millis(500);
const LENGTH: Duration = Duration::from_secs(2);

pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let divvy = Server::divvy(folder.path(), "memory", "")?;
    let echo = Server::bare(&["echo", "12"])?;
    let frames = formed(&divvy, GROUPS, MEMBERS)?;
    let answer: Rc<[u8]> = Rc::from(&encode_response(HEARTBEAT_VERSION, 0, &HeartbeatResponse::default())?[8..]);
    let templates = |answer: Option<&Rc<[u8]>>| -> Vec<Template> {
        let template =
            |frame: &Vec<u8>| Template { frame: frame.clone(), counters: Rc::from([]), answer: answer.cloned() };
        frames.iter().map(template).collect()
    };
    for depth in [1, 16] {
        let mut ours = Load::connect(divvy.addr(), CONNECTIONS, depth, templates(Some(&answer)))?;
        let mut bare = Load::connect(echo.addr(), CONNECTIONS, depth, templates(None))?;
        let (mut of_divvy, mut of_echo) = (Vec::new(), Vec::new());
        for _ in 0..options.repeats {
            of_echo.push(bare.run(&echo, WARM, LENGTH)?);
            of_divvy.push(ours.run(&divvy, WARM, LENGTH)?);
        }
        let wrong: usize = of_divvy.iter().map(|figures| figures.wrong).sum();
        ensure!(wrong == 0, "{wrong} heartbeats were answered with an error");
        let about = format!("{GROUPS} groups of {MEMBERS}, {CONNECTIONS} connections, {depth} in flight on each");
        report.scenario(&format!("heartbeats-{depth}"), &about);
        let bars = if depth == 1 { [1.1, 0.9, 1.4] } else { [2.0, 0.5, f64::INFINITY] };
        compare(report, &of_divvy, &of_echo, bars);
    }
    Ok(())
}

/// What is compared: its name, its unit, the figure, the bar.
type Kind = (&'static str, &'static str, fn(&Figures) -> f64, Bar);

fn compare(report: &mut Report, ours: &[Figures], bare: &[Figures], [cpu, rate, p999]: [f64; 3]) {
    let all = |figures: &[Figures], of: fn(&Figures) -> f64| -> Vec<f64> { figures.iter().map(of).collect() };
    let kinds: [Kind; 5] = [
        ("CPU of the server for a heartbeat", "us", |it| it.cpu_us, Bar::Most(cpu)),
        ("heartbeats in a second", "/s", |it| it.rate, Bar::Least(rate)),
        ("p50", "us", |it| it.p50_us, Bar::None),
        ("p99", "us", |it| it.p99_us, Bar::None),
        ("p999", "us", |it| it.p999_us, if p999.is_finite() { Bar::Most(p999) } else { Bar::None }),
    ];
    for (what, unit, of, bar) in kinds {
        let (ours, bare) = (all(ours, of), all(bare, of));
        report.note(&format!("{what}: divvy"), median(&ours), unit);
        report.note(&format!("{what}: echo"), median(&bare), unit);
        report.figure(&format!("{what}: divvy/echo"), ratio(&ours, &bare), "", bar);
    }
    let others: Vec<f64> = ours.iter().chain(bare).map(|figures| figures.seen.others).collect();
    report.noise(&others);
}

/// Forms stable groups, some at a time over the same connections, and gives back a heartbeat of every member.
pub fn formed(server: &Server, groups: usize, members: usize) -> Result<Vec<Vec<u8>>> {
    let at_once = (500 / members).clamp(1, groups);
    let mut crew = Crew::connect(server.addr(), at_once * members, assignment(64))?;
    let mut frames = Vec::with_capacity(groups * members);
    for first in (0..groups).step_by(at_once) {
        let now = at_once.min(groups - first) * members;
        for at in 0..now {
            crew.enlist(at, &format!("bench-{}", first + at / members), subscription(0, at as u64));
        }
        crew.form(0..now, Duration::from_secs(60))?;
        for member in &crew.members()[..now] {
            let request = heartbeat(&member.group, &member.id, member.generation);
            frames.push(frame(HEARTBEAT_VERSION, 0, &request)?.to_vec());
        }
    }
    Ok(frames)
}
