//! The answers of one connection, in the order of its requests: a place is taken when a request is read, filled when
//! its answer is known, and emptied from the front alone.

use std::collections::VecDeque;

use bytes::Bytes;
use tokio::time::Instant;

use super::api::Asked;
use super::limits::{MAX_IN_FLIGHT, MAX_UNSENT_BYTES};
use crate::group::{Reply, Ticket};

/// One place.
pub(crate) enum Slot {
    /// A shard was asked. Boxed: the places of a quiet connection stay, and most answers are short.
    Asked(Box<Asked>),
    /// The encoded answer.
    Ready(Bytes),
    /// The encoded answer, not to be sent before.
    NotBefore(Instant, Bytes),
    /// The connection is closed when the turn comes to this.
    Close(Close),
}

impl Slot {
    /// Whether it only waits for its turn.
    fn known(&self) -> bool {
        match self {
            Slot::Asked(asked) => asked.whole(),
            Slot::Ready(_) | Slot::Close(_) => true,
            Slot::NotBefore(..) => false,
        }
    }

    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        match self {
            Slot::Asked(asked) => asked.bytes(),
            Slot::Ready(answer) | Slot::NotBefore(_, answer) => answer.len(),
            Slot::Close(_) => 0,
        }
    }
}

/// Why the server closes a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Close {
    /// The reason's name, for the metric and for counting log lines.
    pub(crate) kind: &'static str,
    /// The reason with its values, for the log.
    pub(crate) reason: String,
}

/// What the writer has to do next.
pub(crate) enum Next {
    /// Encode and send this.
    Send(Slot),
    /// Wait until then, or until told.
    At(Instant),
    /// Wait until told.
    Wait,
    /// Close, for this reason if it is the server's.
    Close(Option<Close>),
}

/// The places.
#[derive(Default)]
pub(crate) struct Outbox {
    /// The number of the first place.
    first: u64,
    slots: VecDeque<Slot>,
    /// What the slots take together.
    bytes: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Open,
    /// The last place is a [`Slot::Close`].
    Closing,
    /// Nobody writes any more.
    Gone,
}

impl Outbox {
    /// Takes the next place. After the connection's last place there are no more, and nobody waits for them.
    pub(crate) fn push(&mut self, slot: Slot) -> u64 {
        let place = self.first + self.slots.len() as u64;
        if self.state == State::Open {
            if matches!(slot, Slot::Close(_)) {
                self.state = State::Closing;
            }
            self.bytes += slot.bytes();
            if self.slots.capacity() == 0 {
                // Most clients wait for each answer.
                self.slots.reserve_exact(1);
            }
            self.slots.push_back(slot);
        }
        place
    }

    /// How many answers are missing or not sent yet.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Gives back the memory of the places while there are none: clients that take turns pay for it once in a while, idle
    /// ones never hold it.
    pub(crate) fn release(&mut self) {
        if self.slots.is_empty() {
            self.slots = VecDeque::new();
        }
    }

    /// Whether nothing should be added before something was sent.
    pub(crate) fn is_full(&self) -> bool {
        self.state == State::Open && (self.slots.len() >= MAX_IN_FLIGHT || self.bytes >= MAX_UNSENT_BYTES)
    }

    /// Whether nothing waits in it and something may come.
    pub(crate) fn is_quiet(&self) -> bool {
        self.state == State::Open && self.slots.is_empty()
    }

    /// Puts an answer into its place. True when the writer can go on with it.
    pub(crate) fn fill(&mut self, place: u64, part: u32, reply: Reply) -> bool {
        match self.slot(place) {
            Some(Slot::Asked(asked)) => {
                let before = asked.bytes();
                let whole = asked.fill(part, reply);
                let after = asked.bytes();
                self.bytes = self.bytes + after - before;
                whole && place == self.first
            }
            Some(Slot::Ready(_) | Slot::NotBefore(..) | Slot::Close(_)) | None => false,
        }
    }

    /// Notes that a shard keeps the request. False when its place is gone: nobody waits for the answer.
    pub(crate) fn park(&mut self, place: u64, shard: usize, ticket: Ticket) -> bool {
        let Some(Slot::Asked(asked)) = self.slot(place) else { return false };
        asked.parked.push((shard, ticket));
        true
    }

    /// Takes what can be sent, from the front.
    pub(crate) fn next(&mut self, now: impl FnOnce() -> Instant) -> Next {
        match self.slots.front() {
            _ if self.state == State::Gone => return Next::Close(None),
            Some(Slot::NotBefore(at, _)) if *at > now() => return Next::At(*at),
            Some(Slot::NotBefore(..)) => {}
            Some(slot) if slot.known() => {}
            Some(_) | None => return Next::Wait,
        }
        let Some(slot) = self.slots.pop_front() else { return Next::Wait };
        self.first += 1;
        self.bytes -= slot.bytes();
        if self.slots.capacity() == 1 {
            self.slots = VecDeque::new();
        }
        match slot {
            Slot::Close(close) => Next::Close(Some(close)),
            slot => Next::Send(slot),
        }
    }

    /// Lets the answers out that are known, then closes; what waits behind a missing one is given up. Gives back the
    /// tickets that shards keep for it.
    pub(crate) fn finish(&mut self, close: Close) -> Vec<(usize, Ticket)> {
        if self.state == State::Gone {
            return Vec::new();
        }
        self.state = State::Closing;
        let known = self.slots.iter().position(|slot| !slot.known()).unwrap_or(self.slots.len());
        let given_up = self.slots.split_off(known);
        self.bytes = self.slots.iter().map(Slot::bytes).sum();
        self.slots.push_back(Slot::Close(close));
        parked(given_up)
    }

    /// Gives up the first request that waits for others, and what is behind it. Gives back the tickets that shards keep
    /// for them.
    pub(crate) fn give_up_waiting(&mut self) -> Vec<(usize, Ticket)> {
        let waits = |slot: &Slot| matches!(slot, Slot::Asked(asked) if asked.waits_for_others() && !asked.whole());
        let Some(at) = self.slots.iter().position(waits) else { return Vec::new() };
        let given_up = self.slots.split_off(at);
        self.bytes = self.slots.iter().map(Slot::bytes).sum();
        parked(given_up)
    }

    /// Nobody writes any more. Gives back the tickets that shards keep for this connection.
    pub(crate) fn abandon(&mut self) -> Vec<(usize, Ticket)> {
        self.state = State::Gone;
        self.bytes = 0;
        parked(std::mem::take(&mut self.slots))
    }

    fn slot(&mut self, place: u64) -> Option<&mut Slot> {
        let index = usize::try_from(place.checked_sub(self.first)?).ok()?;
        self.slots.get_mut(index)
    }
}

fn parked(slots: VecDeque<Slot>) -> Vec<(usize, Ticket)> {
    let of = |slot| if let Slot::Asked(asked) = slot { asked.parked } else { Vec::new() };
    slots.into_iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::api::{Frame, Shape};
    use super::*;
    use crate::wire::ErrorCode;

    fn asked() -> Slot {
        Slot::Asked(Box::new(Asked::one(Shape { correlation_id: 1, version: 3 }, Frame::Plain)))
    }

    fn reply() -> Reply {
        Reply::Heartbeat(ErrorCode::None)
    }

    fn close() -> Close {
        Close { kind: "test", reason: String::new() }
    }

    /// What comes out until something is missing.
    fn drain(outbox: &mut Outbox) -> Vec<&'static str> {
        let now = super::super::clock::Clock::start().after(std::time::Duration::ZERO);
        std::iter::from_fn(|| match outbox.next(|| now) {
            Next::Send(Slot::Asked(_)) => Some("asked"),
            Next::Send(Slot::Ready(_)) => Some("ready"),
            Next::Send(_) => Some("other"),
            Next::Close(_) | Next::Wait | Next::At(_) => None,
        })
        .collect()
    }

    #[test]
    fn a_missing_answer_holds_back_what_comes_after_it() {
        let mut outbox = Outbox::default();
        let (first, second) = (outbox.push(asked()), outbox.push(asked()));
        outbox.push(Slot::Ready(Bytes::new()));
        assert!(!outbox.fill(second, 0, reply()), "it is not its turn yet");
        assert_eq!(drain(&mut outbox), [""; 0]);
        assert!(outbox.fill(first, 0, reply()));
        assert_eq!(drain(&mut outbox), ["asked", "asked", "ready"]);
        assert!(!outbox.fill(first, 0, reply()), "its place is gone");
    }

    #[test]
    fn answers_in_parts_are_whole_with_the_last_part() {
        let mut outbox = Outbox::default();
        let asked = Asked::many(Shape { correlation_id: 1, version: 8 }, Frame::Plain, 2);
        let place = outbox.push(Slot::Asked(Box::new(asked)));
        assert!(!outbox.fill(place, 1, reply()));
        assert!(outbox.fill(place, 0, reply()));
    }

    #[test]
    fn answers_that_nobody_takes_fill_it() {
        let mut outbox = Outbox::default();
        let half = Bytes::from(vec![0; MAX_UNSENT_BYTES / 2]);
        outbox.push(Slot::Ready(half.clone()));
        assert!(!outbox.is_full());
        outbox.push(Slot::Ready(half));
        assert!(outbox.is_full());
        assert_eq!(drain(&mut outbox), ["ready", "ready"]);
        assert!(!outbox.is_full());
    }

    #[test]
    fn an_answer_of_unknown_length_counts_until_it_is_known() {
        let mut outbox = Outbox::default();
        let fetch = || {
            Slot::Asked(Box::new(Asked::many(Shape { correlation_id: 1, version: 5 }, Frame::fetch_of_nothing(), 1)))
        };
        outbox.push(asked());
        assert!(!outbox.is_full());
        let place = outbox.push(fetch());
        assert!(outbox.is_full());
        assert!(!outbox.fill(place, 0, Reply::Fetch(Ok(Vec::new()))));
        assert!(!outbox.is_full(), "it is known, although its turn has not come");
    }

    #[test]
    fn the_end_lets_out_what_is_known_and_gives_the_rest_back() {
        let mut outbox = Outbox::default();
        let (first, second) = (outbox.push(asked()), outbox.push(asked()));
        outbox.push(Slot::Ready(Bytes::new()));
        assert!(outbox.park(second, 3, Ticket(7)));
        outbox.fill(first, 0, reply());
        assert_eq!(outbox.finish(close()), [(3, Ticket(7))]);
        outbox.push(asked());
        assert_eq!(drain(&mut outbox), ["asked"]);
        assert_eq!(outbox.len(), 0, "nothing takes a place after the last");
    }

    #[test]
    fn it_is_quiet_when_the_last_answer_is_taken_and_more_may_come() {
        let mut outbox = Outbox::default();
        assert!(outbox.is_quiet());
        outbox.push(Slot::Ready(Bytes::new()));
        assert!(!outbox.is_quiet(), "an answer waits");
        assert_eq!(drain(&mut outbox), ["ready"]);
        assert!(outbox.is_quiet());
        outbox.finish(close());
        assert!(!outbox.is_quiet(), "nothing comes after the end");
    }

    #[test]
    fn who_is_gone_keeps_no_ticket() {
        let mut outbox = Outbox::default();
        let place = outbox.push(asked());
        assert!(outbox.park(place, 0, Ticket(1)));
        assert_eq!(outbox.abandon(), [(0, Ticket(1))]);
        assert!(!outbox.park(place, 0, Ticket(2)), "the shard takes it back itself");
        assert!(matches!(outbox.next(|| unreachable!()), Next::Close(None)));
    }
}
