//! Servers that do nothing but move frames, on bare epoll: what the machine itself allows, so that every figure can be
//! read as a ratio.
//!
//! `echo` answers every frame with zeros. `log` appends all that one wake-up brought to a file, syncs it once, then
//! answers: the floor of durable commits. `floor` is one rebalancing group and nothing else: no parsing, no timers, no
//! checks; it counts JoinGroups and answers with what it encoded at its start.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;

use anyhow::{Context, Result, bail};
use divvy::wire::messages::join_group::JoinGroupResponseMember;
use divvy::wire::messages::{JoinGroupResponse, SyncGroupResponse};
use divvy::wire::{ApiKey, Text, frame::encode_response};
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token};

use crate::link::{Link, SCRATCH_BYTES};
use crate::requests::{JOIN_VERSION, SYNC_VERSION};

const LISTENER: Token = Token(usize::MAX);

/// Serves until it is killed.
pub fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut kind = match words[..] {
        ["echo", answer] => Kind::Echo { answer: answer.parse()? },
        ["log", answer, path] => Kind::Log { answer: answer.parse()?, file: File::create(path)?, pending: Vec::new() },
        ["floor", members, bytes] => Kind::Floor(Box::new(Floor::new(members.parse()?, bytes.parse()?)?)),
        _ => bail!("--bare echo ANSWER | log ANSWER FILE | floor MEMBERS BYTES"),
    };
    let mut listener = TcpListener::bind("127.0.0.1:0".parse()?)?;
    println!("{{\"kafka\":\"{}\"}}", listener.local_addr()?);
    let (mut poll, mut events) = (Poll::new()?, Events::with_capacity(256));
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    let mut links: Vec<Option<Link>> = Vec::new();
    let mut free: Vec<usize> = Vec::new();
    let mut scratch = vec![0; SCRATCH_BYTES];
    let mut touched: Vec<usize> = Vec::new();
    loop {
        poll.poll(&mut events, None)?;
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((stream, _)) = listener.accept() {
                    let at = free.pop().unwrap_or(links.len());
                    let link = Link::new(stream, poll.registry(), at)?;
                    if at == links.len() {
                        links.push(Some(link));
                    } else {
                        links[at] = Some(link);
                    }
                }
                continue;
            }
            let at = event.token().0;
            let Some(link) = links.get_mut(at).and_then(Option::as_mut) else { continue };
            let mut others = Vec::new();
            if !link.receive(&mut scratch, |frame, out| kind.frame(at, frame, out, &mut others)).unwrap_or(false) {
                links[at] = None;
                free.push(at);
                continue;
            }
            for (to, answer) in others {
                if let Some(link) = links.get_mut(to).and_then(Option::as_mut) {
                    link.out.extend_from_slice(&answer);
                    touched.push(to);
                }
            }
            touched.push(at);
            if !matches!(kind, Kind::Log { .. }) {
                flush(&mut links, &mut touched);
            }
        }
        kind.sync()?;
        flush(&mut links, &mut touched);
    }
}

fn flush(links: &mut [Option<Link>], touched: &mut Vec<usize>) {
    for at in touched.drain(..) {
        if links[at].as_mut().is_some_and(|link| link.flush().is_err()) {
            links[at] = None;
        }
    }
}

enum Kind {
    Echo { answer: usize },
    Log { answer: usize, file: File, pending: Vec<u8> },
    Floor(Box<Floor>),
}

impl Kind {
    fn frame(&mut self, from: usize, frame: &[u8], out: &mut Vec<u8>, others: &mut Vec<(usize, Vec<u8>)>) {
        match self {
            Kind::Echo { answer } => zeros(*answer, frame, out),
            Kind::Log { answer, pending, .. } => {
                pending.extend_from_slice(frame);
                zeros(*answer, frame, out);
            }
            Kind::Floor(floor) => floor.frame(from, frame, out, others),
        }
    }

    fn sync(&mut self) -> Result<()> {
        if let Kind::Log { file, pending, .. } = self
            && !pending.is_empty()
        {
            file.write_all(pending)?;
            file.sync_data()?;
            pending.clear();
        }
        Ok(())
    }
}

/// The request's number, then zeros: `length` bytes behind the frame's own length.
fn zeros(length: usize, frame: &[u8], out: &mut Vec<u8>) {
    let begin = out.len();
    out.extend_from_slice(&(length as u32).to_be_bytes());
    out.extend_from_slice(frame.get(4..8).unwrap_or(&[0; 4]));
    out.resize(begin + 4 + length, 0);
}

struct Floor {
    /// The JoinGroup answer of each member; the first one leads and gets the list.
    joined: Vec<Vec<u8>>,
    synced: Vec<u8>,
    generation: i32,
    /// Which member a connection is.
    seats: HashMap<usize, usize>,
    joins: Vec<(usize, [u8; 4])>,
    syncs: Vec<(usize, [u8; 4])>,
    is_led: bool,
}

/// Where a frame's correlation id is, with the length before it.
const CORRELATION: std::ops::Range<usize> = 4..8;
/// Where a JoinGroup answer has its generation: behind the header's empty tags, the throttle time and the error.
const GENERATION: std::ops::Range<usize> = 15..19;

impl Floor {
    fn new(members: usize, bytes: usize) -> Result<Self> {
        let id = |member: usize| Text::from(format!("bench-{member:016x}"));
        let everybody = || {
            (0..members).map(|member| JoinGroupResponseMember {
                member_id: id(member),
                metadata: vec![b'm'; bytes].into(),
                ..Default::default()
            })
        };
        let joined = (0..members).map(|member| {
            let answer = JoinGroupResponse {
                protocol_type: Some(Text::from("consumer")),
                protocol_name: Some(Text::from("range")),
                leader: id(0),
                member_id: id(member),
                members: if member == 0 { everybody().collect() } else { Vec::new() },
                ..Default::default()
            };
            Ok(encode_response(JOIN_VERSION, 0, &answer)?.to_vec())
        });
        let answer = SyncGroupResponse {
            protocol_type: Some(Text::from("consumer")),
            protocol_name: Some(Text::from("range")),
            assignment: vec![b's'; bytes].into(),
            ..Default::default()
        };
        Ok(Self {
            joined: joined.collect::<Result<_>>()?,
            synced: encode_response(SYNC_VERSION, 0, &answer)?.to_vec(),
            generation: 0,
            seats: HashMap::new(),
            joins: Vec::new(),
            syncs: Vec::new(),
            is_led: false,
        })
    }

    fn frame(&mut self, from: usize, frame: &[u8], out: &mut Vec<u8>, others: &mut Vec<(usize, Vec<u8>)>) {
        let Some((&key, rest)) = frame.split_first_chunk::<2>() else { return };
        let Some(&id) = rest.get(2..).and_then(|rest| rest.first_chunk::<4>()) else { return };
        match ApiKey::from_code(i16::from_be_bytes(key)) {
            Some(ApiKey::JoinGroup) => {
                let seat = self.seats.len();
                self.seats.entry(from).or_insert(seat);
                self.joins.push((from, id));
                if self.joins.len() == self.joined.len() {
                    self.begin(others);
                }
            }
            Some(ApiKey::SyncGroup) => {
                self.is_led |= self.seats.get(&from) == Some(&0);
                self.syncs.push((from, id));
                if self.is_led {
                    for (to, id) in self.syncs.drain(..) {
                        let mut answer = self.synced.clone();
                        answer[CORRELATION].copy_from_slice(&id);
                        others.push((to, answer));
                    }
                }
            }
            _ => {
                // A heartbeat, 12 bytes: 27 while others are awaited.
                let begin = out.len();
                zeros(12, frame, out);
                out[begin + 14] = if self.joins.is_empty() { 0 } else { 27 };
            }
        }
    }

    fn begin(&mut self, others: &mut Vec<(usize, Vec<u8>)>) {
        self.generation += 1;
        self.is_led = false;
        for (to, id) in self.joins.drain(..) {
            let Some(joined) = self.seats.get(&to).and_then(|seat| self.joined.get(*seat)) else { continue };
            let mut answer = joined.clone();
            answer[CORRELATION].copy_from_slice(&id);
            answer[GENERATION].copy_from_slice(&self.generation.to_be_bytes());
            others.push((to, answer));
        }
    }
}

/// The fastest way to make bytes durable: one append and one sync.
pub struct Log(File);

impl Log {
    /// A new one in this folder.
    pub fn begin(folder: &std::path::Path) -> Result<Self> {
        Ok(Self(File::create(folder.join("synced")).context("the bench's folder")?))
    }

    /// Makes so many bytes durable; how long that takes in seconds.
    pub fn write(&mut self, bytes: usize) -> Result<f64> {
        let content = vec![b'x'; bytes];
        let began = std::time::Instant::now();
        self.0.write_all(&content)?;
        self.0.sync_data()?;
        Ok(began.elapsed().as_secs_f64())
    }
}
