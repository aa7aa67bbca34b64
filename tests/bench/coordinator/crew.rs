//! Members as clients run them, each on its own connection, on one thread: what follows from an answer (the id to come
//! back with, SyncGroup after JoinGroup, the next try) they do by themselves; the rest a scenario tells them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use divvy::wire::frame::decode_response;
use divvy::wire::messages::{HeartbeatResponse, JoinGroupResponse, LeaveGroupResponse, SyncGroupResponse};
use divvy::wire::{ApiKey, ErrorCode, Request, Text};
use mio::{Events, Poll};

use crate::link::{Link, SCRATCH_BYTES};
use crate::requests::{
    self, HEARTBEAT_VERSION, JOIN_VERSION, LEAVE_VERSION, SYNC_VERSION, frame, heartbeat, join, leave, sync,
};

/// All of them.
pub struct Crew {
    poll: Poll,
    members: Vec<Member>,
    timers: BinaryHeap<Reverse<(Instant, usize)>>,
    /// The state that every leader hands to everybody.
    state: Bytes,
    /// The session timeout that members ask for. By default a busy machine does not end one.
    pub session: Duration,
    /// Error answers by kind of request.
    pub errors: BTreeMap<(&'static str, i16), usize>,
    scratch: Vec<u8>,
}

/// One.
pub struct Member {
    link: Link,
    pub group: Text,
    pub id: Text,
    pub generation: i32,
    pub leads: bool,
    /// How many members its last JoinGroup answer named.
    named: usize,
    pub metadata: Bytes,
    /// What its open request is.
    asked: Option<ApiKey>,
    last_id: i32,
    session: Duration,
}

/// What a scenario is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// It has its state; with the number of members if it led.
    Synced(Option<usize>),
    Beat(ErrorCode),
    Left(ErrorCode),
    /// A timer of [`Crew::wake`].
    Due,
}

impl Crew {
    /// Connects so many; they belong to no group yet.
    pub fn connect(addr: SocketAddr, members: usize, state: Bytes) -> Result<Self> {
        let poll = Poll::new()?;
        let member = |at| -> Result<Member> {
            Ok(Member {
                link: Link::connect(addr, poll.registry(), at).context("raise `ulimit -n` if files are short")?,
                group: Text::default(),
                id: Text::default(),
                generation: -1,
                leads: false,
                named: 0,
                metadata: Bytes::new(),
                asked: None,
                last_id: 0,
                session: Duration::default(),
            })
        };
        let members = (0..members).map(member).collect::<Result<_>>()?;
        let scratch = vec![0; SCRATCH_BYTES];
        Ok(Self {
            poll,
            members,
            timers: BinaryHeap::new(),
            state,
            session: Duration::from_secs(120),
            errors: BTreeMap::new(),
            scratch,
        })
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Makes one a newcomer of a group.
    pub fn enlist(&mut self, at: usize, group: &str, metadata: Bytes) {
        let member = &mut self.members[at];
        member.group = Text::from(group);
        member.session = self.session;
        member.id = Text::default();
        member.generation = -1;
        member.metadata = metadata;
    }

    /// Gives one other metadata, for its next JoinGroup.
    pub fn rewrite(&mut self, at: usize, metadata: Bytes) {
        self.members[at].metadata = metadata;
    }

    /// Has leaders hand out another state, of the same length, from now on.
    pub fn decide(&mut self, state: Bytes) {
        self.state = state;
    }

    pub fn join(&mut self, at: usize) -> Result<()> {
        self.members[at].join()
    }

    pub fn heartbeat(&mut self, at: usize) -> Result<()> {
        let member = &mut self.members[at];
        let request = heartbeat(&member.group, &member.id, member.generation);
        member.ask(HEARTBEAT_VERSION, &request)
    }

    pub fn leave(&mut self, at: usize) -> Result<()> {
        let member = &mut self.members[at];
        let request = leave(&member.group, &member.id);
        member.ask(LEAVE_VERSION, &request)
    }

    /// Tells [`News::Due`] of one after a while.
    pub fn wake(&mut self, at: usize, after: Duration) {
        self.timers.push(Reverse((Instant::now() + after, at)));
    }

    /// Waits for news, not beyond `until`; none when the time is over.
    pub fn news(&mut self, until: Instant) -> Result<Vec<(usize, News)>> {
        let mut all = Vec::new();
        let mut events = Events::with_capacity(1024);
        while all.is_empty() {
            let now = Instant::now();
            while let Some(Reverse((_, at))) = self.timers.peek().copied().filter(|Reverse((due, _))| *due <= now) {
                self.timers.pop();
                all.push((at, News::Due));
            }
            if now >= until || !all.is_empty() {
                break;
            }
            let next = self.timers.peek().map_or(until, |Reverse((due, _))| (*due).min(until));
            self.poll.poll(&mut events, Some(next - now))?;
            for event in &events {
                let at = event.token().0;
                let member = &mut self.members[at];
                let mut answers = Vec::new();
                if !member.link.receive(&mut self.scratch, |frame, _| answers.push(Bytes::copy_from_slice(frame)))? {
                    bail!("the server closed the connection of member {at}");
                }
                member.link.flush()?;
                for answer in answers {
                    let news = self.members[at].answered(answer, &self.state, &mut self.errors)?;
                    all.extend(news.map(|news| (at, news)));
                }
            }
        }
        Ok(all)
    }

    /// Forms groups of these members that are enlisted: each joins, and all wait until every group is whole.
    pub fn form(&mut self, who: std::ops::Range<usize>, limit: Duration) -> Result<()> {
        let until = Instant::now() + limit;
        for at in who.clone() {
            self.join(at)?;
        }
        let mut synced: BTreeMap<Text, (i32, usize, usize)> = BTreeMap::new();
        let mut sizes: BTreeMap<Text, usize> = BTreeMap::new();
        who.clone().for_each(|at| *sizes.entry(self.members[at].group.clone()).or_default() += 1);
        let mut whole = 0;
        while whole < sizes.len() {
            let news = self.news(until)?;
            if news.is_empty() {
                bail!("{whole} of {} groups were formed in time; errors {:?}", sizes.len(), self.errors);
            }
            for (at, news) in news {
                let member = &self.members[at];
                match news {
                    News::Synced(led) => {
                        let of = synced.entry(member.group.clone()).or_insert((0, 0, 0));
                        if member.generation > of.0 {
                            *of = (member.generation, 0, 0);
                        }
                        of.1 += usize::from(member.generation == of.0);
                        of.2 = of.2.max(led.unwrap_or(0));
                        let size = sizes[&member.group];
                        if of.1 == size && of.2 == size {
                            whole += 1;
                        } else {
                            self.wake(at, BEAT_WHILE_FORMING);
                        }
                    }
                    News::Beat(ErrorCode::None) => self.wake(at, BEAT_WHILE_FORMING),
                    News::Beat(_) => self.join(at)?,
                    News::Due => {
                        let (_, synced, led) = synced.get(&member.group).copied().unwrap_or_default();
                        let size = sizes[&member.group];
                        if (synced < size || led < size) && member.asked.is_none() {
                            self.heartbeat(at)?;
                        }
                    }
                    News::Left(_) => {}
                }
            }
        }
        self.rest(limit)
    }

    /// Forgets all timers and waits for the answers that are on their way.
    pub fn rest(&mut self, limit: Duration) -> Result<()> {
        self.timers.clear();
        let until = Instant::now() + limit;
        while self.members.iter().any(|member| member.asked.is_some()) {
            if self.news(until)?.is_empty() {
                bail!("a request got no answer");
            }
        }
        Ok(())
    }
}

/// While its group is not whole, a member that has its state looks for the next rebalance so often.
const BEAT_WHILE_FORMING: Duration = Duration::from_millis(20);

impl Member {
    fn ask<R: Request>(&mut self, version: i16, request: &R) -> Result<()> {
        if let Some(key) = self.asked.replace(R::KEY) {
            bail!("a member of {} asks while its {} is open", self.group, key.name());
        }
        self.last_id += 1;
        self.link.out.extend_from_slice(&frame(version, self.last_id, request)?);
        Ok(self.link.flush()?)
    }

    fn join(&mut self) -> Result<()> {
        let session_ms = i32::try_from(self.session.as_millis())?;
        let request = join(&self.group, &self.id, session_ms, self.metadata.clone());
        self.ask(JOIN_VERSION, &request)
    }

    fn answered(
        &mut self,
        answer: Bytes,
        state: &Bytes,
        errors: &mut BTreeMap<(&'static str, i16), usize>,
    ) -> Result<Option<News>> {
        let key = self.asked.take().context("an answer that nobody asked for")?;
        let mut note = |error: ErrorCode| {
            if error.is_error() && error != ErrorCode::MemberIdRequired {
                *errors.entry((key.name(), error.code())).or_default() += 1;
            }
            error
        };
        match key {
            ApiKey::JoinGroup => {
                let (_, answer) = decode_response::<JoinGroupResponse>(answer, JOIN_VERSION)?;
                match note(answer.error_code) {
                    ErrorCode::None => self.joined(&answer, state)?,
                    // Copied: a text keeps its whole answer in memory.
                    ErrorCode::MemberIdRequired => {
                        self.id = Text::from(answer.member_id.as_str());
                        self.join()?;
                    }
                    error => self.again(error)?,
                }
                Ok(None)
            }
            ApiKey::SyncGroup => {
                let (_, answer) = decode_response::<SyncGroupResponse>(answer, SYNC_VERSION)?;
                match note(answer.error_code) {
                    ErrorCode::None if answer.assignment.len() != state.len() => bail!("a state of another length"),
                    ErrorCode::None => Ok(Some(News::Synced(self.leads.then_some(self.named)))),
                    error => self.again(error).map(|()| None),
                }
            }
            ApiKey::Heartbeat => {
                let (_, answer) = decode_response::<HeartbeatResponse>(answer, HEARTBEAT_VERSION)?;
                Ok(Some(News::Beat(note(answer.error_code))))
            }
            ApiKey::LeaveGroup => {
                let (_, answer) = decode_response::<LeaveGroupResponse>(answer, LEAVE_VERSION)?;
                let error = answer.members.first().map_or(answer.error_code, |member| member.error_code);
                Ok(Some(News::Left(note(error))))
            }
            other => bail!("no member asks {}", other.name()),
        }
    }

    fn joined(&mut self, answer: &JoinGroupResponse, state: &Bytes) -> Result<()> {
        if self.id != answer.member_id {
            self.id = Text::from(answer.member_id.as_str());
        }
        self.generation = answer.generation_id;
        self.leads = answer.leader == answer.member_id;
        let everybody: Vec<Text> = answer.members.iter().map(|member| member.member_id.clone()).collect();
        self.named = everybody.len();
        let request = sync(&self.group, &self.id, self.generation, &everybody, state);
        self.ask(requests::SYNC_VERSION, &request)
    }

    /// After an error of a rebalance: the old id, or a new one if that is not known any more.
    fn again(&mut self, error: ErrorCode) -> Result<()> {
        match error {
            ErrorCode::UnknownMemberId => self.id = Text::default(),
            ErrorCode::IllegalGeneration | ErrorCode::RebalanceInProgress => {}
            other => bail!("a member of {} was told {other}", self.group),
        }
        self.join()
    }
}
