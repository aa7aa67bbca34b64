//! A hundred clients a second that send garbage and go away, beside a stable group.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use divvy::wire::ErrorCode;

use crate::Options;
use crate::crew::{Crew, News};
use crate::process::Server;
use crate::report::{Bar, Report, median};
use crate::requests::{assignment, subscription};

const MEMBERS: usize = 10;
const BEAT: Duration = Duration::from_millis(50);
const CLIENT: Duration = Duration::from_millis(10);
const LENGTH: Duration = Duration::from_secs(60);
/// Memory counts from here on: before, the server's own buffers are made.
const WARM: Duration = Duration::from_secs(10);

/// What the clients send, in turn.
const GARBAGE: [&[u8]; 6] = [
    b"GET / HTTP/1.1\r\nHost: divvy\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x00\x00\x00\x0a\x7f\xff\x00\x00\x00\x00\x00\x01\xff\xff",
    b"\x00\x00\x10\x00\x00\x0b\x00\x07\x00\x00\x00\x01",
    b"\x00\x00\x00\x0e\x00\x0c\x00\x04\x00\x00\x00\x01\xff\xff\x00\xff\xff\xff",
];

pub fn run(_: &Options, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let divvy = Server::divvy(folder.path(), "memory", "")?;
    let mut crew = Crew::connect(divvy.addr(), MEMBERS, assignment(64))?;
    (0..MEMBERS).for_each(|at| crew.enlist(at, "stable", subscription(0, at as u64)));
    crew.form(0..MEMBERS, Duration::from_secs(20))?;
    (0..MEMBERS).for_each(|at| crew.wake(at, BEAT));
    let began = Instant::now();
    let mut asked = [began; MEMBERS];
    let (mut clients, mut times, mut warm) = (0, Vec::new(), None);
    while began.elapsed() < LENGTH {
        let next = began + CLIENT * clients;
        if Instant::now() >= next {
            // A client that is refused is as good as one that is read.
            if let Ok(mut client) = TcpStream::connect(divvy.addr()) {
                let _ = client.write_all(GARBAGE[clients as usize % GARBAGE.len()]);
            }
            clients += 1;
        }
        if warm.is_none() && began.elapsed() >= WARM {
            warm = Some(divvy.rss()?);
        }
        for (at, news) in crew.news(next)? {
            match news {
                News::Due => {
                    asked[at] = Instant::now();
                    crew.heartbeat(at)?;
                }
                other => {
                    ensure!(other == News::Beat(ErrorCode::None), "a member was told {other:?}");
                    times.push(asked[at].elapsed().as_secs_f64() * 1e3);
                    crew.wake(at, BEAT);
                }
            }
        }
    }
    let grown = divvy.rss()? - warm.unwrap_or_default();
    report.scenario("garbage", &format!("{clients} clients that send garbage, beside {MEMBERS} members"));
    report.note("a heartbeat: median", median(&times), "ms");
    report.figure("a heartbeat: longest", times.iter().copied().fold(0.0, f64::max), "ms", Bar::Most(100.0));
    report.figure("memory grown after the first 10 s", grown / 1024.0, "KiB", Bar::Most(1024.0));
    Ok(())
}
