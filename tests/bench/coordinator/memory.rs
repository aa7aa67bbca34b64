//! What members and connections cost in memory, and members that only heartbeat now and then in time.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use divvy::wire::ErrorCode;

use crate::Options;
use crate::crew::{Crew, News};
use crate::heartbeats::formed;
use crate::process::{Server, Window};
use crate::report::{Bar, Report, median, ratio};
use crate::requests::{assignment, subscription};

const GROUPS: usize = 1_000;
const MEMBERS: usize = 10;
const CONNECTIONS: usize = 3_000;
/// An idle connection has given its buffer back by then: the server looks every 5 s.
const QUIET: Duration = Duration::from_secs(12);
const BEAT: Duration = Duration::from_secs(3);

/// Bytes for each member and each idle connection.
pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.scenario("memory", &format!("{GROUPS} groups of {MEMBERS}; {CONNECTIONS} idle connections"));
    let folder = tempfile::Builder::new().tempdir_in(&options.disk)?;
    for data in ["memory", "data"] {
        let divvy = Server::divvy(folder.path(), data, "")?;
        let before = divvy.rss()?;
        formed(&divvy, GROUPS, MEMBERS)?;
        let grown = (divvy.rss()? - before) / (GROUPS * MEMBERS) as f64;
        let own = (subscription(0, 0).len() + assignment(64).len()) as f64;
        let store = if data == "memory" { "memory" } else { "redb" };
        report.figure(&format!("a member beyond its {own} bytes: {store}"), grown - own, "B", Bar::Most(600.0));
    }
    let divvy = Server::divvy(folder.path(), "memory", "")?;
    let before = divvy.rss()?;
    let mut crew = Crew::connect(divvy.addr(), CONNECTIONS, assignment(64))?;
    (0..CONNECTIONS).try_for_each(|at| crew.heartbeat(at))?;
    let end = Instant::now() + QUIET;
    let mut answers = 0;
    loop {
        let news = crew.news(end)?;
        if news.is_empty() {
            break;
        }
        answers += news.len();
    }
    ensure!(answers == CONNECTIONS, "{answers} of {CONNECTIONS} connections were served");
    let grown = (divvy.rss()? - before) / CONNECTIONS as f64;
    report.figure("an idle connection that was used before", grown, "B", Bar::Most(1536.0));
    Ok(())
}

/// Members on their own connections that heartbeat every 3 s: each wakes the server by itself.
pub fn idle(options: &Options, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (divvy, echo) = (Server::divvy(folder.path(), "memory", "")?, Server::bare(&["echo", "12"])?);
    let mut crews = [(&echo, Vec::new()), (&divvy, Vec::new())].map(|(server, cpu)| {
        let crew = Crew::connect(server.addr(), CONNECTIONS, assignment(64));
        crew.map(|crew| (server, crew, cpu))
    });
    for (server, crew, _) in crews.iter_mut().flatten() {
        for at in 0..CONNECTIONS {
            crew.enlist(at, &format!("idle-{}", at / MEMBERS), subscription(0, at as u64));
        }
        if std::ptr::eq(*server, &divvy) {
            crew.form(0..CONNECTIONS, Duration::from_secs(60))?;
        }
    }
    let mut others = Vec::new();
    for _ in 0..options.repeats {
        for (server, crew, cpu) in crews.iter_mut().flatten() {
            for at in 0..CONNECTIONS {
                // Spread over the time between two heartbeats, in an order that is not that of the connections.
                crew.wake(at, BEAT.mul_f64((at * 7 % CONNECTIONS) as f64 / CONNECTIONS as f64));
            }
            let window = Window::open(server)?;
            let end = Instant::now() + 2 * BEAT;
            let mut beats = 0;
            loop {
                let news = crew.news(end)?;
                if news.is_empty() {
                    break;
                }
                for (at, news) in news {
                    match news {
                        News::Due => {
                            crew.wake(at, BEAT);
                            crew.heartbeat(at)?;
                        }
                        other => {
                            ensure!(other == News::Beat(ErrorCode::None), "an idle member was told {other:?}");
                            beats += 1;
                        }
                    }
                }
            }
            let seen = window.close(server)?;
            crew.rest(Duration::from_secs(5))?;
            cpu.push(seen.cpu.as_secs_f64() * 1e6 / f64::from(beats));
            others.push(seen.others);
        }
    }
    report.scenario("idle", &format!("{CONNECTIONS} members on their own connections, a heartbeat every 3 s"));
    let figures: Vec<&Vec<f64>> = crews.iter().flatten().map(|(_, _, cpu)| cpu).collect();
    ensure!(figures.len() == 2, "the connections could not be opened: raise `ulimit -n`");
    report.note("CPU of a heartbeat: echo", median(figures[0]), "us");
    report.note("CPU of a heartbeat: divvy", median(figures[1]), "us");
    report.figure("CPU of a heartbeat: divvy/echo", ratio(figures[1], figures[0]), "", Bar::Most(1.2));
    report.noise(&others);
    Ok(())
}
