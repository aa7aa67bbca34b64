//! divvy's own user data inside a `consumer` subscription: the MessagePack map `{facts, last: [generation, owned], x}`.
//!
//! `facts` is what the member says of itself (rack, weight, anything), `last` what it had and in which generation, so that
//! eager members are sticky too, and `x` what the strategy's own `divvy_user_data` returned. `owned` is a `bin` in the
//! encoding of Kafka's OwnedPartitions: one reader for both, and nothing per partition is copied.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::classic::NotDecodable;
use super::owned::{Owned, decode_owned, put_owned};
use super::raw::Raw;

/// Facts may nest so deep; deeper ones are somebody else's bytes or an attack on the stack.
pub(super) const MAX_DEPTH: usize = 16;

/// What a member says of itself, by name.
pub type Facts = BTreeMap<String, Value>;

/// The fact that Kafka's subscription has a place for, too.
pub const RACK: &str = "rack";

/// The rack among facts; an empty name is none.
pub fn rack_of(facts: &Facts) -> Option<&str> {
    facts.get(RACK).and_then(Value::as_str).filter(|rack| !rack.is_empty())
}

/// The map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UserData<'a> {
    /// What the member says of itself.
    pub facts: Facts,
    /// What it had last.
    pub last: Option<Last<'a>>,
    /// What its strategy says.
    pub x: Option<&'a [u8]>,
}

/// What a member had last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Last<'a> {
    /// In which generation.
    pub generation: i32,
    /// What.
    pub owned: Owned<'a>,
}

#[derive(Serialize, Deserialize)]
struct Frame<'a> {
    #[serde(default)]
    facts: Facts,
    #[serde(borrow, default)]
    last: Option<(i32, Raw<'a>)>,
    #[serde(borrow, default)]
    x: Option<Raw<'a>>,
}

impl<'a> UserData<'a> {
    /// Reads the map; keys that it does not know are ignored.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        // Kafka's own user data begins with a length, so its first byte is no map's.
        if !matches!(bytes.first(), Some(0x80..=0x8f | 0xde | 0xdf)) {
            return Err(NotDecodable("user data"));
        }
        let mut from = rmp_serde::Deserializer::from_read_ref(bytes);
        from.set_max_depth(MAX_DEPTH);
        let frame = Frame::deserialize(&mut from).map_err(|_| NotDecodable("user data"))?;
        let last = match frame.last {
            None => None,
            Some((generation, owned)) => Some(Last { generation: generation.max(-1), owned: decode_owned(owned.0)? }),
        };
        Ok(Self { facts: frame.facts, last, x: frame.x.map(|x| x.0) })
    }

    /// Writes the map.
    pub fn encode(&self) -> Vec<u8> {
        let mut owned = Vec::new();
        if let Some(last) = &self.last {
            put_owned(&mut owned, None, last.owned.iter());
        }
        let frame = Frame {
            facts: self.facts.clone(),
            last: self.last.as_ref().map(|last| (last.generation, Raw(&owned))),
            x: self.x.map(Raw),
        };
        rmp_serde::to_vec_named(&frame).expect("text keys and plain data always have a MessagePack form")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::embedded::consumer::TopicPartitions;

    fn sample(owned: &[TopicPartitions<'static>]) -> UserData<'static> {
        UserData {
            facts: Facts::from([("rack".into(), json!("eu-1a")), ("weight".into(), json!(2.5))]),
            last: Some(Last { generation: 7, owned: owned.to_vec().into() }),
            x: Some(b"own words"),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let owned = [TopicPartitions { topic: "clicks", partitions: [0, 3].into_iter().collect() }];
        for data in [sample(&owned), sample(&[]), UserData::default()] {
            assert_eq!(UserData::decode(&data.encode()).unwrap(), data);
        }
    }

    #[test]
    fn kafkas_sticky_bytes_are_not_divvys_map() {
        assert!(UserData::decode(&[0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1, 0, 0, 0, 0]).is_err());
        assert!(UserData::decode(&[]).is_err());
    }

    #[test]
    fn unknown_keys_are_ignored() {
        let bytes = rmp_serde::to_vec_named(&json!({ "facts": { "a": 1 }, "later": [1, 2] })).unwrap();
        assert_eq!(UserData::decode(&bytes).unwrap().facts["a"], json!(1));
    }

    #[test]
    fn deep_nesting_is_refused_not_followed() {
        let mut bytes = vec![0x81, 0xa5];
        bytes.extend_from_slice(b"facts");
        bytes.extend_from_slice(&[0x81, 0xa1, b'a']);
        bytes.extend(std::iter::repeat_n(0x91, 100_000));
        bytes.push(0xc0);
        assert!(UserData::decode(&bytes).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
            let _ = UserData::decode(&bytes);
            let whole = sample(&[TopicPartitions { topic: "t", partitions: [1].into_iter().collect() }]).encode();
            let _ = UserData::decode(&whole[..cut.min(whole.len())]);
        }
    }
}
