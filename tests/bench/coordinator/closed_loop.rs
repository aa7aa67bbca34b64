//! The closed loop: frames that were encoded before, so many in flight on each connection, on one thread. A slow client
//! would hide the server.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use mio::{Events, Poll};

use crate::link::{Link, SCRATCH_BYTES};
use crate::process::{Seen, Server, Window};

/// A request that is sent again and again.
pub struct Template {
    /// The frame; its correlation id is overwritten.
    pub frame: Vec<u8>,
    /// Where it has numbers of eight bytes that grow with every request.
    pub counters: Rc<[usize]>,
    /// What the answer has to be behind its correlation id. Of bare servers nothing is asked.
    pub answer: Option<Rc<[u8]>>,
}

/// The connections with their share of the requests.
pub struct Load {
    poll: Poll,
    lanes: Vec<Lane>,
    depth: usize,
    scratch: Vec<u8>,
}

struct Lane {
    link: Link,
    /// With the number of each in the whole.
    templates: Vec<(usize, Template)>,
    next: usize,
    asked: VecDeque<Asked>,
    last_id: i32,
    counter: i64,
    is_open: bool,
}

struct Asked {
    at: Instant,
    id: i32,
    template: usize,
    counter: i64,
}

/// What a run gave.
pub struct Figures {
    /// Answers in a second.
    pub rate: f64,
    /// The server's time for each answer, in microseconds.
    pub cpu_us: f64,
    /// Times from queueing a request to reading its answer, in microseconds.
    pub p50_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub seen: Seen,
    /// Answers that were not what they have to be.
    pub wrong: usize,
}

/// Where a request's frame has its correlation id: behind the length, the key and the version.
const ID: std::ops::Range<usize> = 8..12;

/// Answers that are still missing so long after the end are lost.
const PATIENCE: Duration = Duration::from_secs(10);

impl Load {
    /// Opens the connections; `depth` requests are in flight on each.
    pub fn connect(addr: SocketAddr, connections: usize, depth: usize, templates: Vec<Template>) -> Result<Self> {
        let poll = Poll::new()?;
        let lane = |at| -> Result<Lane> {
            let link = Link::connect(addr, poll.registry(), at)?;
            Ok(Lane {
                link,
                templates: Vec::new(),
                next: 0,
                asked: VecDeque::new(),
                last_id: 0,
                counter: 0,
                is_open: true,
            })
        };
        let mut lanes = (0..connections).map(lane).collect::<Result<Vec<_>>>()?;
        for (number, template) in templates.into_iter().enumerate() {
            lanes[number % connections].templates.push((number, template));
        }
        Ok(Self { poll, lanes, depth, scratch: vec![0; SCRATCH_BYTES] })
    }

    /// Runs for `warm` and then for `length`, which alone counts.
    pub fn run(&mut self, server: &Server, warm: Duration, length: Duration) -> Result<Figures> {
        let mut tally = Tally::default();
        let began = Instant::now();
        let mut window = None;
        let mut seen = None;
        for lane in &mut self.lanes {
            (0..self.depth).for_each(|_| lane.ask(began));
            lane.link.flush()?;
        }
        let mut events = Events::with_capacity(1024);
        while seen.is_none() || self.lanes.iter().any(|lane| !lane.asked.is_empty()) {
            self.poll.poll(&mut events, Some(Duration::from_millis(50)))?;
            let now = Instant::now();
            if window.is_none() && seen.is_none() && now >= began + warm {
                tally.counts = true;
                window = Some(Window::open(server)?);
            }
            if now >= began + warm + length
                && let Some(window) = window.take()
            {
                tally.counts = false;
                seen = Some(window.close(server)?);
            }
            if now > began + warm + length + PATIENCE {
                bail!("answers are missing");
            }
            for event in &events {
                self.lanes[event.token().0].serve(now, seen.is_none(), &mut self.scratch, &mut tally)?;
            }
        }
        match seen {
            Some(seen) => Ok(tally.figures(seen)),
            None => bail!("the time was too short"),
        }
    }
}

impl Load {
    /// Runs for a while, kills the server with requests in flight, and gives back what it had acknowledged by then: the
    /// last counter of each template.
    pub fn until_killed(&mut self, server: Server, length: Duration) -> Result<HashMap<usize, i64>> {
        let mut tally = Tally::default();
        let (began, mut server) = (Instant::now(), Some(server));
        for lane in &mut self.lanes {
            (0..self.depth).for_each(|_| lane.ask(began));
            lane.link.flush()?;
        }
        let mut events = Events::with_capacity(1024);
        let mut open = self.lanes.len();
        while open > 0 {
            self.poll.poll(&mut events, Some(Duration::from_millis(50)))?;
            let now = Instant::now();
            if now >= began + length
                && let Some(server) = server.take()
            {
                server.kill()?;
            }
            for event in &events {
                let lane = &mut self.lanes[event.token().0];
                // Closed or refused: what had arrived by then was read.
                if lane.is_open && lane.serve(now, true, &mut self.scratch, &mut tally).is_err() {
                    lane.is_open = false;
                    open -= 1;
                }
            }
        }
        Ok(tally.acknowledged)
    }
}

#[derive(Default)]
struct Tally {
    counts: bool,
    nanos: Vec<u32>,
    wrong: usize,
    acknowledged: HashMap<usize, i64>,
}

impl Tally {
    fn figures(mut self, seen: Seen) -> Figures {
        self.nanos.sort_unstable();
        let answers = self.nanos.len();
        let at = |share: f64| {
            let place = (answers as f64 * share) as usize;
            self.nanos.get(place.min(answers.saturating_sub(1))).map_or(f64::NAN, |nanos| f64::from(*nanos) / 1e3)
        };
        Figures {
            rate: answers as f64 / seen.wall.as_secs_f64(),
            cpu_us: seen.cpu.as_secs_f64() * 1e6 / answers as f64,
            p50_us: at(0.5),
            p99_us: at(0.99),
            p999_us: at(0.999),
            seen,
            wrong: self.wrong,
        }
    }
}

impl Lane {
    fn ask(&mut self, now: Instant) {
        let (number, template) = &self.templates[self.next];
        self.next = (self.next + 1) % self.templates.len();
        self.last_id = self.last_id.wrapping_add(1);
        self.counter += 1;
        let begin = self.link.out.len();
        self.link.out.extend_from_slice(&template.frame);
        let frame = &mut self.link.out[begin..];
        frame[ID].copy_from_slice(&self.last_id.to_be_bytes());
        for at in template.counters.iter() {
            frame[*at..*at + 8].copy_from_slice(&self.counter.to_be_bytes());
        }
        self.asked.push_back(Asked { at: now, id: self.last_id, template: *number, counter: self.counter });
    }

    fn serve(&mut self, now: Instant, goes_on: bool, scratch: &mut [u8], tally: &mut Tally) -> Result<()> {
        let mut answered = 0;
        let (asked, templates) = (&mut self.asked, &self.templates);
        let is_open = self.link.receive(scratch, |frame, _| {
            answered += 1;
            let Some(of) = asked.pop_front() else { return tally.wrong += 1 };
            // The templates are dealt to the lanes in turn, so that theirs are in the order of their numbers.
            let template = templates.binary_search_by_key(&of.template, |(number, _)| *number);
            let wanted = template.ok().and_then(|at| templates[at].1.answer.as_ref());
            let is_right = frame.get(..4) == Some(&of.id.to_be_bytes()[..])
                && wanted.is_none_or(|wanted| frame[4..] == wanted[..]);
            if is_right {
                tally.acknowledged.insert(of.template, of.counter);
            } else {
                tally.wrong += 1;
            }
            if tally.counts {
                let nanos = now.saturating_duration_since(of.at).as_nanos();
                tally.nanos.push(u32::try_from(nanos).unwrap_or(u32::MAX));
            }
        })?;
        if !is_open {
            bail!("the server closed a connection");
        }
        if goes_on {
            (0..answered).for_each(|_| self.ask(now));
        }
        Ok(self.link.flush()?)
    }
}
