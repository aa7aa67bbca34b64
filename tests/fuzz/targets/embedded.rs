//! What members say of themselves and what they are given, type by type: nothing panics, whatever stands there, and what
//! is understood means the same once it is written anew.

use divvy::embedded::consumer::{Assignment, Owned, Partitions, SplitSubscription, Subscription, TopicPartitions};
use divvy::embedded::single_writer::{Candidate, Role};
use divvy::embedded::user_data::UserData;
use divvy::embedded::{find, show_metadata, show_state};

/// The first byte chooses what the others are.
pub fn run(data: &[u8]) {
    let [kind, bytes @ ..] = data else { return };
    match kind % 5 {
        0 => subscription(bytes),
        1 => assignment(bytes),
        2 => user_data(bytes),
        3 => candidate(bytes),
        _ => role(bytes),
    }
    for kind in ["consumer", "single-writer", "unheard-of"] {
        let known = find(kind).is_some();
        assert_eq!(known, kind != "unheard-of");
        let _ = (show_metadata(kind, bytes).to_string(), show_state(kind, bytes).to_string());
    }
}

fn subscription(bytes: &[u8]) {
    let Ok(read) = Subscription::decode(bytes) else { return };
    let split = SplitSubscription::new(bytes).expect("the two readers agree");
    assert_eq!(split.topics().expect("the two readers agree"), read.topics);
    let same = SplitSubscription::with_topics(bytes, split.encoded_topics()).expect("these are the topics");
    assert_eq!(same.tail().expect("the two readers agree"), read.tail);
    let written = read.encode();
    let again = Subscription::decode(&written).expect("what was written is read");
    assert_eq!(again.encode(), written, "a subscription has one form");
    if (1..=3).contains(&read.version) {
        assert_eq!(sorted(&listed(&again.tail.owned)), sorted(&listed(&read.tail.owned)));
        assert_eq!(again.tail.user_data, read.tail.user_data);
    }
    if read.version == 3 {
        assert_eq!((again.tail.generation, again.tail.rack), (read.tail.generation, read.tail.rack));
    }
    if let Some(data) = read.tail.user_data {
        user_data(data);
    }
}

fn listed<'o>(owned: &'o Owned<'_>) -> Vec<TopicPartitions<'o>> {
    owned.iter().collect()
}

fn assignment(bytes: &[u8]) {
    let Ok(read) = Assignment::decode_state(bytes) else { return };
    let written = read.encode();
    let again = Assignment::decode(&written).expect("what was written is read");
    assert_eq!(sorted(&again.topics), sorted(&read.topics));
    assert_eq!(again.encode(), written, "an assignment has one form");
}

fn user_data(bytes: &[u8]) {
    let Ok(read) = UserData::decode(bytes) else { return };
    let written = read.encode();
    let again = UserData::decode(&written).expect("what was written is read");
    assert_eq!((&again.facts, again.x), (&read.facts, read.x));
    assert_eq!(again.encode(), written, "user data has one form");
}

fn candidate(bytes: &[u8]) {
    let Ok(read) = Candidate::decode(bytes) else { return };
    assert_eq!(Candidate::decode(&read.encode()).expect("what was written is read"), read);
}

fn role(bytes: &[u8]) {
    let Ok(read) = Role::decode(bytes) else { return };
    assert_eq!(Role::decode(&read.encode()).expect("what was written is read"), read);
}

/// Partitions by topic; the order of topics and numbers means nothing.
fn sorted<'a>(owned: &'a [TopicPartitions<'a>]) -> Vec<(&'a str, Vec<i32>)> {
    let numbers = |partitions: &Partitions<'_>| {
        let mut numbers: Vec<i32> = partitions.iter().collect();
        numbers.sort_unstable();
        numbers
    };
    let mut all: Vec<_> = owned.iter().map(|of| (of.topic, numbers(&of.partitions))).collect();
    all.sort();
    all
}
