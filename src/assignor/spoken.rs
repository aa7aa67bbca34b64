//! What a leader says for members that cannot say it themselves: unmodified clients tell their topics and little more. The
//! operator knows their racks and weights, and whoever made the last plan knows what they had.
//!
//! Only the strategy reads it: nothing of it goes out. What a member says itself always counts before it.

use bytes::Bytes;
use serde_json::Value;

use super::MemberInput;
use crate::embedded::consumer::{Assignment, NEWEST_VERSION, Owned, Subscription, Tail};
use crate::embedded::note::Note;
use crate::embedded::sticky::{COOPERATIVE_STICKY, STICKY, StickyData};
use crate::embedded::user_data::{Facts, Last, RACK, UserData, rack_of};
use crate::ids::{Protocol, matches};

/// Facts about members, by patterns of their names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spoken(Vec<(String, Facts)>);

/// What a member had, as the plan gave it.
#[derive(Clone, Copy, Debug)]
pub struct Had<'a> {
    /// In which generation.
    pub generation: i32,
    /// Its state in that plan.
    pub state: &'a [u8],
}

impl Spoken {
    /// One more fact about the members whose instance id or id (which begins with the client id) fits the pattern; `*`
    /// stands for any run of characters. Of two facts of one name the first holds.
    pub fn add(&mut self, pattern: &str, name: &str, value: Value) {
        self.0.push((pattern.to_owned(), Facts::from([(name.to_owned(), value)])));
    }

    /// The patterns that fit none of these members, each once.
    pub fn unmatched(&self, members: &[MemberInput]) -> Vec<&str> {
        let fits_nobody = |pattern: &&str| !members.iter().any(|member| fits(pattern, member));
        let mut patterns: Vec<&str> = self.0.iter().map(|(pattern, _)| pattern.as_str()).filter(fits_nobody).collect();
        let mut seen = std::collections::BTreeSet::new();
        patterns.retain(|pattern| seen.insert(*pattern));
        patterns
    }

    /// What is said about a member.
    pub fn facts(&self, member: &MemberInput) -> Facts {
        let mut facts = Facts::new();
        for (_, said) in self.0.iter().filter(|(pattern, _)| fits(pattern, member)) {
            said.iter().for_each(|(name, value)| {
                facts.entry(name.clone()).or_insert_with(|| value.clone());
            });
        }
        facts
    }

    /// Where a member stands for its strategy: where it says itself, in Kafka's place for it or among its facts, else where
    /// it is said to.
    pub fn rack(&self, member: &MemberInput) -> Option<String> {
        let said = Subscription::decode(&member.metadata).ok()?;
        own_rack(&said.tail).or_else(|| rack_of(&self.facts(member)).map(str::to_owned))
    }

    /// The member as its strategy is to see it; none if nothing is said for it.
    pub fn speak(&self, member: &MemberInput, protocol: &Protocol, had: Option<Had<'_>>) -> Option<MemberInput> {
        let subscription = Subscription::decode(&member.metadata).ok()?;
        let tail = subscription.tail.clone();
        let mut facts = self.facts(member);
        if own_rack(&tail).is_some() {
            facts.remove(RACK);
        }
        let own = tail.user_data.filter(|it| !it.is_empty());
        let map = own.and_then(|it| UserData::decode(it).ok());
        let is_sticky = [STICKY, COOPERATIVE_STICKY].contains(&protocol.as_str()) && map.is_none();
        let remembers = !tail.owned.is_empty()
            || map.as_ref().is_some_and(|map| map.last.is_some())
            || (is_sticky && own.and_then(|it| StickyData::decode(it).ok()).is_some_and(|it| !it.owned.is_empty()));
        let history = had.filter(|_| !remembers).and_then(|had| Some((had.generation, owned(had.state)?)));
        if facts.is_empty() && history.is_none() {
            return None;
        }
        let rack = rack_of(&facts).map(str::to_owned);
        let (mut user_data, mut note) = (own.map(<[u8]>::to_vec), tail.note.map(str::to_owned));
        if is_sticky {
            if let Some((generation, owned)) = history {
                user_data = Some(StickyData { generation, owned }.encode());
            }
            if !facts.is_empty() {
                let said = tail.note.map(Note::decode).unwrap_or_default();
                let x = said.x();
                note = Some(json_of(&Note::new(with(said.facts, facts), x.as_deref())));
            }
        } else if own.is_none() || map.is_some() {
            let map = map.unwrap_or_default();
            let last = history.map(|(generation, owned)| Last { generation, owned }).or(map.last);
            user_data = Some(UserData { facts: with(map.facts, facts), last, x: map.x }.encode());
        }
        let rack = tail.rack.or(rack.as_deref());
        let tail = Tail { user_data: user_data.as_deref(), note: note.as_deref(), rack, ..tail };
        let said = Subscription { version: NEWEST_VERSION, tail, ..subscription.clone() };
        Some(MemberInput { metadata: Bytes::from(said.encode()), ..member.clone() })
    }
}

fn fits(pattern: &str, member: &MemberInput) -> bool {
    let names = [member.instance.as_ref().map(|it| it.as_str()), Some(member.id.as_str())];
    // A client id is all that people know of a member without a lasting name.
    let begins = format!("{pattern}-*");
    names.iter().flatten().any(|name| matches(pattern, name) || matches(&begins, name))
}

/// The rack that a member says itself.
fn own_rack(tail: &Tail<'_>) -> Option<String> {
    let facts = match tail.user_data.and_then(|bytes| UserData::decode(bytes).ok()) {
        Some(map) => map.facts,
        None => tail.note.map(Note::decode).unwrap_or_default().facts,
    };
    tail.rack.or_else(|| rack_of(&facts)).map(str::to_owned)
}

/// What a state gives, if it gives anything.
fn owned(state: &[u8]) -> Option<Owned<'_>> {
    Assignment::owned_of_state(state).ok().filter(|owned| !owned.is_empty())
}

/// A member's own facts, and those that it does not tell.
fn with(own: Facts, said: Facts) -> Facts {
    said.into_iter().chain(own).collect()
}

fn json_of(note: &Note) -> String {
    let text = note.encode();
    text.strip_prefix(crate::embedded::note::PREFIX).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::embedded::consumer::TopicPartitions;

    fn state(partitions: &[i32]) -> Vec<u8> {
        let topics = vec![TopicPartitions { topic: "t", partitions: partitions.iter().copied().collect() }];
        Assignment { topics, user_data: None }.encode()
    }

    fn member(id: &str, version: i16, tail: Tail<'_>) -> MemberInput {
        let said = Subscription { version, topics: vec!["t"], tail };
        MemberInput { id: id.into(), instance: None, metadata: said.encode().into() }
    }

    fn spoken() -> Spoken {
        let mut spoken = Spoken::default();
        spoken.add("big-*", "weight", json!(4));
        spoken.add("small", "rack", json!("eu-1b"));
        spoken.add("*", "weight", json!(1));
        spoken
    }

    #[test]
    fn facts_are_found_by_the_names_that_people_know() {
        let facts = |id: &str| spoken().facts(&member(id, 0, Tail::default()));
        assert_eq!(facts("big-7-0b5e"), Facts::from([("weight".into(), json!(4))]), "the first of a name holds");
        let small = Facts::from([("weight".into(), json!(1)), ("rack".into(), json!("eu-1b"))]);
        assert_eq!(facts("small-0b5e"), small, "a client id is the beginning of an id");
        assert_eq!(facts("smaller-0b5e"), Facts::from([("weight".into(), json!(1))]));
        let named = MemberInput { instance: Some("small".into()), ..member("x", 0, Tail::default()) };
        assert_eq!(spoken().facts(&named), small);
    }

    #[test]
    fn a_pattern_that_fits_nobody_is_told_once() {
        let mut spoken = spoken();
        spoken.add("smal", "rack", json!("eu-1a"));
        spoken.add("smal", "weight", json!(2));
        let members = [member("big-7-0b5e", 0, Tail::default()), member("small-0b5e", 0, Tail::default())];
        assert_eq!(spoken.unmatched(&members), ["smal"]);
        assert_eq!(spoken.unmatched(&members[..1]), ["small", "smal"]);
    }

    #[test]
    fn a_client_of_the_oldest_version_gets_facts_rack_and_history() {
        let plain = member("small-1", 0, Tail::default());
        let (had, range) = (Some(Had { generation: 7, state: &state(&[1, 3]) }), Protocol::from("range"));
        let spoken = spoken().speak(&plain, &range, had).unwrap();
        let said = Subscription::decode(&spoken.metadata).unwrap();
        assert_eq!((said.topics, said.tail.rack), (vec!["t"], Some("eu-1b")));
        let data = UserData::decode(said.tail.user_data.unwrap()).unwrap();
        assert_eq!(data.facts["weight"], json!(1));
        let last = data.last.unwrap();
        assert_eq!((last.generation, last.owned), (7, Assignment::decode(&state(&[1, 3])).unwrap().topics.into()));
        assert!(Spoken::default().speak(&plain, &range, None).is_none(), "nothing to say");
    }

    #[test]
    fn under_kafkas_sticky_names_it_is_said_in_kafkas_form() {
        let plain = member("big-1", 1, Tail::default());
        let had = Some(Had { generation: 7, state: &state(&[1]) });
        for name in ["sticky", "cooperative-sticky"] {
            let spoken = spoken().speak(&plain, &Protocol::from(name), had).unwrap();
            let said = Subscription::decode(&spoken.metadata).unwrap();
            let data = StickyData::decode(said.tail.user_data.unwrap()).unwrap();
            assert_eq!((data.generation, data.owned.is_empty()), (7, false));
            assert_eq!(Note::decode(said.tail.note.unwrap()).facts["weight"], json!(4));
        }
    }

    #[test]
    fn what_a_member_says_itself_comes_first() {
        let owned = vec![TopicPartitions { topic: "t", partitions: [2].into_iter().collect() }];
        let own = UserData { facts: Facts::from([("weight".into(), json!(9))]), ..UserData::default() }.encode();
        let tail = Tail { user_data: Some(&own), owned: owned.into(), generation: 3, rack: Some("eu-1a"), note: None };
        let speaks = member("small-1", 3, tail.clone());
        let (had, range) = (Some(Had { generation: 7, state: &state(&[1]) }), Protocol::from("range"));
        let spoken = spoken().speak(&speaks, &range, had).unwrap();
        let said = Subscription::decode(&spoken.metadata).unwrap();
        assert_eq!((said.tail.rack, &said.tail.owned, said.tail.generation), (Some("eu-1a"), &tail.owned, 3));
        let data = UserData::decode(said.tail.user_data.unwrap()).unwrap();
        assert_eq!((data.facts["weight"].clone(), data.last), (json!(9), None));
    }

    #[test]
    fn a_rack_that_a_member_says_anywhere_comes_before_what_is_said_of_it() {
        let facts = Facts::from([("rack".into(), json!("eu-1a"))]);
        let map = UserData { facts: facts.clone(), ..UserData::default() }.encode();
        let note = json_of(&Note::new(facts, None));
        let says = [
            ("range", Tail { rack: Some("eu-1a"), ..Tail::default() }),
            ("range", Tail { user_data: Some(&map), ..Tail::default() }),
            ("sticky", Tail { note: Some(&note), ..Tail::default() }),
        ];
        for (protocol, tail) in says {
            let member = member("small-1", 3, tail);
            assert_eq!(spoken().rack(&member).as_deref(), Some("eu-1a"));
            let seen = spoken().speak(&member, &Protocol::from(protocol), None).unwrap();
            let said = Subscription::decode(&seen.metadata).unwrap().tail;
            assert_ne!(said.rack, Some("eu-1b"), "{protocol}");
            let facts = said.note.map(|note| Note::decode(note).facts).unwrap_or_default();
            let facts = said.user_data.and_then(|it| Some(UserData::decode(it).ok()?.facts)).unwrap_or(facts);
            assert_ne!(facts.get("rack"), Some(&json!("eu-1b")), "{protocol}");
            assert_eq!(facts["weight"], json!(1), "{protocol}: the rest is said for it");
        }
        assert_eq!(spoken().rack(&member("small-1", 0, Tail::default())).as_deref(), Some("eu-1b"));
        assert_eq!(spoken().rack(&member("other-1", 0, Tail::default())), None);
    }

    #[test]
    fn bytes_that_nobody_knows_are_left_alone() {
        let foreign = member("small-1", 3, Tail { user_data: Some(b"theirs"), ..Tail::default() });
        let spoken = spoken().speak(&foreign, &Protocol::from("custom"), None).unwrap();
        let said = Subscription::decode(&spoken.metadata).unwrap();
        assert_eq!((said.tail.user_data, said.tail.rack), (Some(&b"theirs"[..]), Some("eu-1b")));
        let garbage = MemberInput { metadata: Bytes::from_static(b"?"), ..foreign };
        assert!(self::tests::spoken().speak(&garbage, &Protocol::from("custom"), None).is_none());
    }
}
