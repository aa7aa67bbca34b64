//! Members that come and go: each joins, stays for a while, leaves, stays away for a while, and comes again.

use std::time::{Duration, Instant};

use anyhow::Result;
use divvy::wire::ErrorCode;

use crate::Options;
use crate::crew::{Crew, News};
use crate::process::{Server, Window};
use crate::report::{Bar, Report, median};
use crate::requests::{assignment, subscription};

const GROUPS: usize = 200;
const MEMBERS: usize = 8;
const STAY: Duration = Duration::from_secs(2);
const AWAY: Duration = Duration::from_millis(200);
const BEAT: Duration = Duration::from_millis(100);
const LENGTH: Duration = Duration::from_secs(10);

#[derive(Clone, Copy)]
enum Does {
    /// Comes when its timer is due.
    Away,
    Joins,
    /// Heartbeats until then.
    Stays(Instant),
    Leaves,
}

pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (mut cpu, mut rates, mut noise, mut wrong, mut lost) = (Vec::new(), Vec::new(), Vec::new(), 0, 0);
    for _ in 0..options.repeats.div_ceil(2) {
        let folder = tempfile::tempdir()?;
        let server = Server::divvy(folder.path(), "memory", "")?;
        let mut crew = Crew::connect(server.addr(), GROUPS * MEMBERS, assignment(64))?;
        let mut draws = Draws(0x9e37_79b9_7f4a_7c15);
        let mut does = vec![Does::Away; GROUPS * MEMBERS];
        for at in 0..GROUPS * MEMBERS {
            crew.enlist(at, &format!("churn-{}", at % GROUPS), subscription(0, at as u64));
            crew.wake(at, AWAY.mul_f64(draws.share()));
        }
        let window = Window::open(&server)?;
        let end = Instant::now() + LENGTH;
        let mut rebalances = 0;
        loop {
            let news = crew.news(end)?;
            if news.is_empty() {
                break;
            }
            for (at, news) in news {
                does[at] = step(&mut crew, at, does[at], news, &mut draws, &mut rebalances, &mut lost)?;
            }
        }
        let seen = window.close(&server)?;
        cpu.push(seen.cpu.as_secs_f64() * 1e3 / rebalances as f64);
        rates.push(rebalances as f64 / seen.wall.as_secs_f64());
        noise.push(seen.others);
        let expected = [22, 25, 27];
        wrong += crew.errors.iter().filter(|((_, code), _)| !expected.contains(code)).map(|(_, n)| n).sum::<usize>();
    }
    report.scenario("churn", &format!("{GROUPS} groups of {MEMBERS} that stay for 2 s and leave for 0.2 s; memory"));
    report.note("rebalances in a second", median(&rates), "/s");
    report.figure("CPU of a rebalance", median(&cpu), "ms", Bar::Most(0.2));
    report.figure("members lost", lost as f64, "", Bar::Most(0.0));
    report.figure("errors other than 22, 25 and 27", wrong as f64, "", Bar::Most(0.0));
    report.noise(&noise);
    Ok(())
}

fn step(
    crew: &mut Crew,
    at: usize,
    does: Does,
    news: News,
    draws: &mut Draws,
    rebalances: &mut usize,
    lost: &mut usize,
) -> Result<Does> {
    let until = match does {
        Does::Stays(until) => until,
        _ => Instant::now() + STAY.mul_f64(draws.exponential()),
    };
    Ok(match news {
        News::Due if matches!(does, Does::Away) => {
            crew.join(at)?;
            Does::Joins
        }
        News::Due if Instant::now() >= until => {
            crew.leave(at)?;
            Does::Leaves
        }
        News::Due => {
            crew.heartbeat(at)?;
            does
        }
        News::Synced(led) => {
            *rebalances += usize::from(led.is_some());
            crew.wake(at, BEAT);
            Does::Stays(until)
        }
        News::Beat(ErrorCode::None) => {
            crew.wake(at, BEAT);
            does
        }
        // It joins again, and its time goes on.
        News::Beat(error) => {
            // Nobody was silent for as long as a session: who is not known any more was lost.
            *lost += usize::from(error == ErrorCode::UnknownMemberId);
            crew.join(at)?;
            does
        }
        News::Left(_) => {
            let group = crew.members()[at].group.clone();
            let metadata = crew.members()[at].metadata.clone();
            crew.enlist(at, &group, metadata);
            crew.wake(at, AWAY.mul_f64(draws.exponential()));
            Does::Away
        }
    })
}

/// The same draws in every run.
struct Draws(u64);

impl Draws {
    /// Evenly between 0 and 1.
    fn share(&mut self) -> f64 {
        // Knuth's MMIX generator: its upper bits are good enough for arrivals.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// With a mean of 1, at most 10.
    fn exponential(&mut self) -> f64 {
        (-(1.0 - self.share()).ln()).min(10.0)
    }
}
