//! Ten thousand groups of ten whose members heartbeat every 3 s: nobody's session may end.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use divvy::wire::frame::encode_response;
use divvy::wire::messages::HeartbeatResponse;
use mio::{Events, Poll};

use crate::Options;
use crate::heartbeats::formed;
use crate::link::{Link, SCRATCH_BYTES};
use crate::process::{Server, Window};
use crate::report::{Bar, Report};
use crate::requests::HEARTBEAT_VERSION;

const GROUPS: usize = 10_000;
const MEMBERS: usize = 10;
const CONNECTIONS: usize = 16;
const EVERY: Duration = Duration::from_secs(3);
const LENGTH: Duration = Duration::from_secs(150);

pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    let folder = tempfile::Builder::new().tempdir_in(&options.disk)?;
    let divvy = Server::divvy(folder.path(), "data", "")?;
    // Sessions last 120 s: longer than it takes to form the groups, shorter than the heartbeats go on.
    let began = Instant::now();
    let frames = formed(&divvy, GROUPS, MEMBERS)?;
    let formation = began.elapsed();
    ensure!(formation < Duration::from_secs(100), "the machine is too slow to form the groups within a session");
    let poll = Poll::new()?;
    let connect = |at| Link::connect(divvy.addr(), poll.registry(), at);
    let mut links = (0..CONNECTIONS).map(connect).collect::<std::io::Result<Vec<_>>>()?;
    let window = Window::open(&divvy)?;
    let (asked, wrong) = beat(poll, &mut links, &frames)?;
    let seen = window.close(&divvy)?;
    report.scenario("many", &format!("{GROUPS} groups of {MEMBERS}, each member heartbeats every 3 s; redb"));
    report.note("formation of all groups", formation.as_secs_f64(), "s");
    report.note("heartbeats", asked as f64, "");
    report.note("CPU of a heartbeat", seen.cpu.as_secs_f64() * 1e6 / asked as f64, "us");
    report.note("memory", divvy.rss()? / f64::from(1 << 20), "MiB");
    report.figure("heartbeats answered with an error", wrong as f64, "", Bar::Most(0.0));
    report.noise(&[seen.others]);
    Ok(())
}

/// Sends the heartbeats evenly over their time, again and again; how many, and how many were not answered well.
fn beat(mut poll: Poll, links: &mut [Link], frames: &[Vec<u8>]) -> Result<(usize, usize)> {
    let fine = encode_response(HEARTBEAT_VERSION, 0, &HeartbeatResponse::default())?;
    let mut scratch = vec![0; SCRATCH_BYTES];
    let mut events = Events::with_capacity(64);
    let (mut asked, mut answered, mut wrong) = (0, 0, 0);
    let began = Instant::now();
    loop {
        let elapsed = began.elapsed();
        if elapsed < LENGTH {
            let due = (elapsed.as_secs_f64() / EVERY.as_secs_f64() * frames.len() as f64) as usize;
            for number in asked..due {
                links[number % CONNECTIONS].out.extend_from_slice(&frames[number % frames.len()]);
            }
            asked = due;
        } else if answered == asked {
            return Ok((asked, wrong));
        } else if elapsed > LENGTH + EVERY {
            bail!("{} heartbeats got no answer", asked - answered);
        }
        for link in links.iter_mut() {
            link.flush()?;
        }
        poll.poll(&mut events, Some(Duration::from_millis(5)))?;
        for event in &events {
            let each = |frame: &[u8], _: &mut Vec<u8>| {
                answered += 1;
                wrong += usize::from(frame.get(4..) != fine.get(8..));
            };
            ensure!(links[event.token().0].receive(&mut scratch, each)?, "the server closed a connection");
        }
    }
}
