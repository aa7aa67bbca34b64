//! The network: connections that deliver in order, late, or not at all, and of which the two ends learn at different
//! times that they are gone.

use std::collections::{BTreeMap, VecDeque};

use divvy::group::Reply;

use crate::actors::Request;
use crate::dice::Dice;
use crate::what::What;

/// A connection.
pub type Link = u64;

/// A request on a connection.
pub type Asked = u64;

/// Which of its connections a member uses: the second one is for what must not wait behind a parked request, the third
/// for a heartbeat that itself waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lane {
    Main,
    Prompt,
    Ear,
}

/// One connection.
struct Connection {
    who: usize,
    lane: Lane,
    at_member: bool,
    at_server: bool,
    /// Nothing comes through any more, and nobody knows.
    stalled: bool,
    /// Nothing overtakes: the last arrival of each direction.
    reaches_server: u64,
    reaches_member: u64,
    /// What the member waits for: the request and its own name for it.
    waits: BTreeMap<Asked, u64>,
    /// Answers leave in the order of the requests.
    answers: VecDeque<(Asked, Option<Reply>)>,
}

/// All connections.
#[derive(Default)]
pub struct Network {
    links: BTreeMap<Link, Connection>,
    lanes: BTreeMap<(usize, Lane), Link>,
    drawn: u64,
    /// How slow it is.
    pub latency_ms: u64,
}

impl Network {
    /// Sends a request over the member's lane; the arrival and the end of the member's patience are to be scheduled.
    pub fn ask(&mut self, who: usize, request: Request, now: u64, dice: &mut Dice) -> [(u64, What); 2] {
        let Request { lane, tag, call, patience } = request;
        self.drawn += 1;
        let asked = self.drawn;
        let link = self.lane(who, lane);
        let latency = self.latency(dice);
        let Some(connection) = self.links.get_mut(&link) else { unreachable!("the lane was just opened") };
        connection.waits.insert(asked, tag);
        connection.reaches_server = connection.reaches_server.max(now + latency);
        [
            (connection.reaches_server, What::Arrives { link, asked, call: Box::new(call) }),
            (now + patience, What::PatienceEnds { link, asked }),
        ]
    }

    fn lane(&mut self, who: usize, lane: Lane) -> Link {
        if let Some(link) = self.lanes.get(&(who, lane)) {
            return *link;
        }
        self.drawn += 1;
        let connection = Connection {
            who,
            lane,
            at_member: true,
            at_server: true,
            stalled: false,
            reaches_server: 0,
            reaches_member: 0,
            waits: BTreeMap::new(),
            answers: VecDeque::new(),
        };
        self.links.insert(self.drawn, connection);
        self.lanes.insert((who, lane), self.drawn);
        self.drawn
    }

    fn latency(&self, dice: &mut Dice) -> u64 {
        dice.tail(self.latency_ms, self.latency_ms * 20 + 50)
    }

    /// Whether a request that arrives is taken; its answer has its place from now on.
    pub fn arrives(&mut self, link: Link, asked: Asked) -> Option<usize> {
        let connection = self.links.get_mut(&link).filter(|it| it.at_server && !it.stalled)?;
        connection.answers.push_back((asked, None));
        Some(connection.who)
    }

    /// The server answers: what may leave now is to be scheduled.
    pub fn answer(&mut self, link: Link, asked: Asked, reply: Reply, now: u64, dice: &mut Dice) -> Vec<(u64, What)> {
        let mut leaving = Vec::new();
        let latency = self.latency(dice);
        let Some(connection) = self.links.get_mut(&link).filter(|it| it.at_server) else { return leaving };
        if let Some((_, place)) = connection.answers.iter_mut().find(|(it, _)| *it == asked) {
            *place = Some(reply);
        }
        while let Some((asked, reply)) = connection.answers.pop_front_if(|(_, reply)| reply.is_some()) {
            connection.reaches_member = connection.reaches_member.max(now + latency);
            if let Some(reply) = reply {
                leaving.push((connection.reaches_member, What::Answered { link, asked, reply }));
            }
        }
        leaving
    }

    /// An answer reaches the member, if it still listens: who, and its own name for the request.
    pub fn answered(&mut self, link: Link, asked: Asked) -> Option<(usize, u64)> {
        let connection = self.links.get_mut(&link).filter(|it| it.at_member && !it.stalled)?;
        connection.waits.remove(&asked).map(|tag| (connection.who, tag))
    }

    /// Whether the member still waits for an answer.
    pub fn waits(&self, link: Link, asked: Asked) -> bool {
        self.links.get(&link).is_some_and(|it| it.at_member && it.waits.contains_key(&asked))
    }

    /// The member's end is gone: what it waited for.
    pub fn gone_at_member(&mut self, link: Link) -> Option<(usize, Vec<u64>)> {
        let connection = self.links.get_mut(&link).filter(|it| it.at_member)?;
        connection.at_member = false;
        let (who, lane) = (connection.who, connection.lane);
        let waits = std::mem::take(&mut connection.waits).into_values().collect();
        self.lanes.remove(&(who, lane));
        self.sweep(link);
        Some((who, waits))
    }

    /// The server's end is gone. Says whether it was there.
    pub fn gone_at_server(&mut self, link: Link) -> bool {
        let was = self.links.get_mut(&link).is_some_and(|it| std::mem::take(&mut it.at_server));
        self.sweep(link);
        was
    }

    /// Nothing comes through any more, and nobody is told.
    pub fn stall(&mut self, link: Link) {
        if let Some(connection) = self.links.get_mut(&link) {
            connection.stalled = true;
        }
    }

    fn sweep(&mut self, link: Link) {
        self.links.retain(|of, it| *of != link || it.at_member || it.at_server);
    }

    /// All connections that at least one end believes in.
    pub fn all(&self) -> Vec<Link> {
        self.links.keys().copied().collect()
    }

    /// The connection that a member uses for a lane.
    pub fn of(&self, who: usize, lane: Lane) -> Option<Link> {
        self.lanes.get(&(who, lane)).copied()
    }

    /// The connections of one member.
    pub fn links_of(&self, who: usize) -> Vec<Link> {
        self.lanes.iter().filter(|((of, _), _)| *of == who).map(|(_, link)| *link).collect()
    }
}
