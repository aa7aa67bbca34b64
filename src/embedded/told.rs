//! What divvy's own strategies tell a member beside its partitions, in the user data of its assignment: a MessagePack array
//! `[1, epoch]`, and from `redundant` a third item, which of its partitions it is the primary of: a bit for each of them
//! in their order, or numbers by topic, or nil for too many.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::classic::NotDecodable;
use super::user_data::MAX_DEPTH;

/// What a member is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// The generation of the plan: a fencing token.
    pub epoch: i32,
    /// What it is the primary of, if the strategy says so.
    pub primaries: Primaries,
}

/// Which of its partitions a member is the primary of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Primaries {
    /// Not said.
    Unsaid,
    /// A bit for each partition of the assignment, in its order, lowest bit first.
    Bits(Vec<u8>),
    /// By topic, ascending.
    Named(BTreeMap<String, Vec<i32>>),
}

impl Told {
    /// Reads it; what later versions append is passed over.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotDecodable> {
        let mut from = rmp_serde::Deserializer::from_read_ref(bytes);
        from.set_max_depth(MAX_DEPTH);
        from.deserialize_any(Whole).map_err(|_| NotDecodable("user data of an assignment"))
    }
}

struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Told;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of a version and an epoch")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Told, A::Error> {
        let missing = || A::Error::custom("it is too short");
        let version: u32 = items.next_element()?.ok_or_else(missing)?;
        if version == 0 {
            return Err(A::Error::custom("there is no version 0"));
        }
        let epoch = items.next_element()?.ok_or_else(missing)?;
        let primaries = items.next_element()?.unwrap_or(Primaries::Unsaid);
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Told { epoch, primaries })
    }
}

impl<'de> Deserialize<'de> for Primaries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Third)
    }
}

struct Third;

impl<'de> Visitor<'de> for Third {
    type Value = Primaries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bits, numbers by topic, or nil")
    }

    fn visit_unit<E: Error>(self) -> Result<Primaries, E> {
        Ok(Primaries::Unsaid)
    }

    fn visit_bytes<E: Error>(self, bits: &[u8]) -> Result<Primaries, E> {
        Ok(Primaries::Bits(bits.to_vec()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Primaries, A::Error> {
        let mut named = BTreeMap::new();
        while let Some((topic, mut numbers)) = entries.next_entry::<String, Vec<i32>>()? {
            numbers.sort_unstable();
            named.insert(topic, numbers);
        }
        Ok(Primaries::Named(named))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_alone_and_both_forms_of_primaries_are_read() {
        let told = |bytes: &[u8]| Told::decode(bytes).unwrap();
        assert_eq!(told(&[0x92, 1, 7]), Told { epoch: 7, primaries: Primaries::Unsaid });
        assert_eq!(told(&[0x93, 1, 7, 0xc0]).primaries, Primaries::Unsaid);
        assert_eq!(told(&[0x93, 1, 7, 0xc4, 1, 5]).primaries, Primaries::Bits(vec![5]));
        let named = BTreeMap::from([("a".to_owned(), vec![0, 3])]);
        assert_eq!(told(&[0x94, 2, 7, 0x81, 0xa1, b'a', 0x92, 0, 3, 0xc0]).primaries, Primaries::Named(named));
    }

    #[test]
    fn what_is_something_else_is_no_panic() {
        let whole = [0x93, 1, 7, 0x81, 0xa1, b'a', 0x92, 0, 3];
        for cut in 0..whole.len() {
            assert!(Told::decode(&whole[..cut]).is_err());
        }
        assert!(Told::decode(b"owned partitions").is_err() && Told::decode(&[0x92, 0, 7]).is_err());
    }
}
