//! What a member wants, as a number: the topics that it subscribes to, its rack and its facts. What it owned, in which
//! generation and what its strategy says differ with every restart of its process, and count for nothing.
//!
//! A static member may come back with other wishes while its place, and with it the plan, goes on (KIP-345): whoever knows
//! what the plan was made for can tell. A divvy coordinator compares both metadata. On Kafka's nobody does, so there a divvy
//! leader stamps the state of each static member of divvy's with the number that it planned for: behind the assignment,
//! where every version of the protocol may have fields that its readers do not know. Nobody else's state has a stamp.

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64;

use super::consumer::{self, SplitSubscription};
use super::note::Note;
use super::user_data::UserData;

/// What begins a stamp.
const MARK: &[u8] = b"divvy:";

/// A stamp is the mark and the number.
const STAMP_BYTES: usize = MARK.len() + size_of::<u64>();

/// What a consumer wants; none if its metadata is no subscription. The number is the same in every process.
pub fn wants(subscription: &[u8]) -> Option<u64> {
    let split = SplitSubscription::new(subscription).ok()?;
    let (mut topics, tail) = (split.topics().ok()?, split.tail().ok()?);
    topics.sort_unstable();
    topics.dedup();
    let said = tail.user_data.and_then(|bytes| UserData::decode(bytes).ok()).map(|data| data.facts);
    let facts = said.or_else(|| tail.note.map(|note| Note::decode(note).facts)).filter(|facts| !facts.is_empty());
    Some(xxh3_64(serde_json::json!([topics, tail.rack, facts]).to_string().as_bytes()))
}

/// Whether a process in the place of another wants something else than that one did. Of a type without a form its bytes
/// say so, where they are divvy's members' own words: those say there what they want and no more.
pub fn differ(protocol_type: &str, before: &[u8], now: &[u8], is_divvys: bool) -> bool {
    if before == now {
        return false;
    }
    match protocol_type {
        "consumer" => matches!((wants(before), wants(now)), (Some(before), Some(now)) if before != now),
        // A worker says what it runs and how far it has read.
        "connect" => false,
        _ => is_divvys,
    }
}

/// Whether a consumer is a member of divvy's, which reads stamps.
pub fn is_divvys(subscription: &[u8]) -> bool {
    let Ok(tail) = SplitSubscription::new(subscription).and_then(|split| split.tail()) else { return false };
    tail.note.is_some() || tail.user_data.is_some_and(|data| UserData::decode(data).is_ok())
}

/// A consumer's state with a stamp, in place of the one that it may have.
pub fn stamped(state: &Bytes, wants: u64) -> Bytes {
    let (state, _) = unstamped(state);
    let mut to = if state.is_empty() { consumer::empty_assignment() } else { state.to_vec() };
    to.extend_from_slice(MARK);
    to.extend_from_slice(&wants.to_be_bytes());
    to.into()
}

/// A consumer's state without its stamp, and what that says.
pub fn unstamped(state: &Bytes) -> (Bytes, Option<u64>) {
    let stamp = consumer::behind_state(state).filter(|rest| rest.len() == STAMP_BYTES);
    let number = stamp.and_then(|rest| rest.strip_prefix(MARK)).and_then(|number| number.try_into().ok());
    match number {
        Some(number) => (state.slice(..state.len() - STAMP_BYTES), Some(u64::from_be_bytes(number))),
        None => (state.clone(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};

    fn plan() -> Bytes {
        let topics = vec![TopicPartitions { topic: "t", partitions: [0, 2].into_iter().collect() }];
        Assignment { topics, user_data: Some(b"word") }.encode().into()
    }

    #[test]
    fn a_stamp_is_read_back_replaced_and_in_nobodys_way() {
        let once = stamped(&plan(), 7);
        assert_eq!(unstamped(&once), (plan(), Some(7)));
        assert_eq!(unstamped(&stamped(&once, 8)), (plan(), Some(8)));
        assert_eq!(Assignment::decode(&once).unwrap(), Assignment::decode(&plan()).unwrap());
        assert_eq!(unstamped(&stamped(&Bytes::new(), 9)), (consumer::empty_assignment().into(), Some(9)));
    }

    #[test]
    fn what_is_no_stamp_stays() {
        let longer: Bytes = [&plan()[..], b"what comes later"].concat().into();
        let fourteen: Bytes = [&plan()[..], b"fourteen bytes"].concat().into();
        for state in [plan(), longer, fourteen, Bytes::new(), Bytes::from_static(b"divvy:12345678")] {
            assert_eq!(unstamped(&state), (state.clone(), None));
        }
    }

    #[test]
    fn a_process_that_wants_the_same_differs_in_nothing_that_counts() {
        let plain = Subscription { version: 3, topics: vec!["a", "b"], tail: Tail::default() };
        let back = Subscription {
            tail: Tail { generation: 7, user_data: Some(b"kafka's"), ..Tail::default() },
            ..plain.clone()
        };
        let fewer = Subscription { topics: vec!["a"], ..plain.clone() };
        let (plain, back, fewer) = (plain.encode(), back.encode(), fewer.encode());
        assert!(!differ("consumer", &plain, &back, true));
        assert!(differ("consumer", &plain, &fewer, false));
        assert!(!differ("consumer", &plain, b"bytes", false), "nobody knows what that wants");
        assert!(!differ("connect", b"offset 1", b"offset 2", true));
        assert!(differ("own", b"weight 1", b"weight 0", true));
        assert!(!differ("own", b"weight 1", b"weight 0", false), "as on Kafka");
    }
}
