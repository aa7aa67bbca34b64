//! The members of a run: divvy's own machine and models of Kafka's clients, each told what happens to it and asked what
//! it wants. None sees the group, only its own answers.

use std::collections::BTreeSet;

use divvy::embedded::consumer::{Assignment, Subscription};
use divvy::embedded::single_writer::Role;
use divvy::group::Reply;
use divvy::ids::{Generation, MemberId};

use crate::calls::Call;
use crate::dice::Dice;
use crate::network::Lane;

pub mod divvy_kind;
pub mod divvy_member;
pub mod divvy_words;
pub mod kafka_client;
pub mod kafka_kind;
mod plans;
mod strategies;

/// The topics of a run, with their numbers of partitions.
pub const TOPICS: [(&str, u32); 2] = [("clicks", 5), ("views", 2)];

/// What a member wants of its surroundings.
pub enum Wish {
    /// To send a request.
    Ask(Box<Request>),
    /// To know whether the coordinator can be reached.
    Probe { tag: u64 },
    /// To close its connections.
    Hangup,
    /// Nothing but to be seen: it had this, and now it has that.
    Show { had: BTreeSet<Partition>, has: BTreeSet<Partition> },
}

/// A request that a member wants to send.
pub struct Request {
    pub lane: Lane,
    /// The member's own name for it.
    pub tag: u64,
    pub call: Call,
    /// So many milliseconds it waits for the answer.
    pub patience: u64,
}

/// One event of a member: the moment, chance, and what it comes to want.
pub struct Turn<'a> {
    pub now: u64,
    pub dice: &'a mut Dice,
    pub wishes: Vec<Wish>,
    /// Offsets of commits are unique in a run.
    pub commits: &'a mut i64,
}

/// A topic and a number.
pub type Partition = (String, i32);

/// What only one member of a group of writers works on.
pub const PEN: &str = "the pen";

/// What a state gives its member: partitions, or the pen.
pub fn given(state: &[u8]) -> Result<BTreeSet<Partition>, String> {
    if let Ok(role) = Role::decode(state) {
        return Ok(role.active.then(|| (PEN.to_owned(), 0)).into_iter().collect());
    }
    let assignment = Assignment::decode_state(state).map_err(|error| error.to_string())?;
    let of = |it: &divvy::embedded::consumer::TopicPartitions<'_>| {
        it.partitions.iter().map(|number| (it.topic.to_owned(), number)).collect::<Vec<_>>()
    };
    Ok(assignment.topics.iter().flat_map(of).collect())
}

/// What a member says in its metadata that it owns.
pub fn said_to_own(metadata: &[u8]) -> BTreeSet<Partition> {
    let said = Subscription::decode(metadata).ok();
    let owned = said.iter().flat_map(|said| said.tail.owned.iter());
    owned.flat_map(|it| it.partitions.iter().map(|number| (it.topic.to_owned(), number)).collect::<Vec<_>>()).collect()
}

/// What topics a member says in its metadata that it reads.
pub fn said_to_read(metadata: &[u8]) -> BTreeSet<String> {
    let said = Subscription::decode(metadata).ok();
    said.iter().flat_map(|said| &said.topics).map(|topic| (*topic).to_owned()).collect()
}

/// Everything that a group of such a member has to do.
pub fn all_work(is_of_writers: bool) -> BTreeSet<Partition> {
    if is_of_writers {
        return [(PEN.to_owned(), 0)].into();
    }
    let of =
        |(name, numbers): &(&str, u32)| (0..*numbers as i32).map(|it| ((*name).to_owned(), it)).collect::<Vec<_>>();
    TOPICS.iter().flat_map(of).collect()
}

/// Where a member stands, as it knows itself.
#[derive(Clone, PartialEq, Debug)]
pub enum Standing {
    /// It does not take part.
    Gone,
    /// It is on its way into a generation.
    Out,
    /// It has its share of a generation.
    In { member: MemberId, generation: Generation },
}

/// How a member ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It leaves in good order.
    Leaves,
    /// Its process dies.
    Dies,
}

/// A member.
pub trait Actor {
    /// Its process starts, as one that knows nothing.
    fn start(&mut self, turn: &mut Turn<'_>);

    /// Its process ends.
    fn end(&mut self, how: End, turn: &mut Turn<'_>);

    /// The faults are over: from now on it does what a good client does.
    fn calm(&mut self, turn: &mut Turn<'_>);

    /// Something of its own may be due.
    fn wake(&mut self, turn: &mut Turn<'_>);

    /// When it wants to be woken.
    fn wakes_at(&self) -> Option<u64>;

    /// A request was answered.
    fn answered(&mut self, tag: u64, reply: Reply, turn: &mut Turn<'_>);

    /// A request will not be answered.
    fn unanswered(&mut self, tag: u64, turn: &mut Turn<'_>);

    /// Whether the coordinator can be reached.
    fn probed(&mut self, tag: u64, is_up: bool, turn: &mut Turn<'_>);

    /// What its application works on, if that is followed.
    fn works_on(&self) -> Option<&BTreeSet<Partition>> {
        None
    }

    /// The epoch that it writes under, if it believes that it is the writer.
    fn writes(&self) -> Option<i32> {
        None
    }

    /// Where it stands.
    fn standing(&self) -> Standing;
}
