//! The user data of Kafka's sticky strategies (KIP-54): what a member had, and in which generation.
//!
//! `sticky` writes partitions and generation (an older form of it no generation); Java's `cooperative-sticky` writes the
//! generation alone, since its partitions stand in the subscription; other clients write the long form under both names.
//! kafka-python 3 puts the form's number before it. None of the others says which one it is.
//!
//! A follower made with sarama sends back what its last assignment brought as user data: it remembers nothing of itself, so
//! a leader of `sticky` writes it there.

use bytes::Bytes;

use super::classic::{NotDecodable, Reader};
use super::consumer::Assignment;
use super::owned::{Owned, put_owned, read_owned};

/// The strategy of Kafka's that keeps its history in user data alone.
pub const STICKY: &str = "sticky";

/// The one whose subscriptions say what is owned.
pub const COOPERATIVE_STICKY: &str = "cooperative-sticky";

/// What a member had last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StickyData<'a> {
    /// In which generation, or -1.
    pub generation: i32,
    /// What; nothing in the short form.
    pub owned: Owned<'a>,
}

impl<'a> StickyData<'a> {
    /// Reads any of the forms.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        let mut reader = Reader(bytes);
        if bytes.len() == 4 {
            return Ok(Self { generation: reader.i32("generation")?.max(-1), owned: Owned::default() });
        }
        let long = |bytes| {
            let mut reader = Reader(bytes);
            let owned = read_owned(&mut reader)?;
            let generation = if reader.is_empty() { -1 } else { reader.i32("generation")?.max(-1) };
            Ok(Self { generation, owned })
        };
        match bytes {
            // As the count of a list this is at least 65,536, in bytes that have no room for it.
            [0, 0 | 1, numbered @ ..] => long(bytes).or_else(|error| long(numbered).map_err(|_| error)),
            _ => long(bytes),
        }
    }

    /// Writes the long form, in which `sticky` says what it had.
    pub fn encode(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_owned(&mut to, None, self.owned.iter());
        to.extend_from_slice(&self.generation.to_be_bytes());
        to
    }
}

/// The short form, in which `cooperative-sticky` says the generation of what its subscription owns.
pub fn encode_generation(generation: i32) -> Vec<u8> {
    generation.to_be_bytes().to_vec()
}

/// An assignment whose user data says the same once more in the form of `sticky`, for followers that only send back what
/// they were given. One that has user data, or that cannot be read, stays as it is.
pub fn with_history(assignment: &Bytes, generation: i32) -> Bytes {
    match Assignment::decode(assignment) {
        Ok(Assignment { topics, user_data: None }) => {
            let data = StickyData { generation, owned: topics.clone().into() }.encode();
            Assignment { topics, user_data: Some(&data) }.encode().into()
        }
        _ => assignment.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNED: [u8; 15] = [0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1, 0, 0, 0, 3];

    #[test]
    fn all_three_forms_are_read() {
        let long = StickyData::decode(&[&OWNED[..], &[0, 0, 0, 7]].concat()).map(|data| data.generation);
        let older = StickyData::decode(&OWNED).unwrap();
        assert_eq!(long, Ok(7));
        assert_eq!(older.generation, -1);
        assert_eq!(
            older.owned.iter().map(|of| (of.topic, of.partitions.iter().collect())).collect::<Vec<_>>(),
            [("t", vec![3])]
        );
        assert_eq!(StickyData::decode(&[0, 0, 0, 9]), Ok(StickyData { generation: 9, owned: Owned::default() }));
    }

    #[test]
    fn the_forms_number_before_it_is_passed_over() {
        let bytes = [&[0, 1][..], &OWNED, &[0, 0, 0, 7]].concat();
        assert_eq!(StickyData::decode(&bytes), StickyData::decode(&bytes[2..]));
        let nothing = StickyData { generation: -1, owned: Owned::default() };
        assert_eq!(StickyData::decode(&[0, 1, 0, 0, 0, 0, 255, 255, 255, 255]), Ok(nothing));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for bytes in [&[0, 0, 0, 0, 255, 255, 255, 255][..], &[&OWNED[..], &[0, 0, 0, 7]].concat()] {
            assert_eq!(StickyData::decode(bytes).unwrap().encode(), bytes);
        }
        assert_eq!(StickyData::decode(&encode_generation(9)).unwrap().generation, 9);
    }

    #[test]
    fn an_assignment_says_what_it_is_once_more() {
        let data = StickyData::decode(&OWNED).unwrap();
        let topics: Vec<_> = data.owned.iter().collect();
        let plain = Bytes::from(Assignment { topics: topics.clone(), user_data: None }.encode());
        let told = with_history(&plain, 7);
        let read = Assignment::decode(&told).unwrap();
        assert_eq!(read.topics, topics);
        assert_eq!(read.user_data, Some(&[&OWNED[..], &[0, 0, 0, 7]].concat()[..]));
        assert_eq!(with_history(&told, 8), told, "a strategy's own user data is kept");
        assert_eq!(with_history(&Bytes::from_static(b"?"), 8), b"?"[..]);
    }

    #[test]
    fn other_bytes_are_no_claim() {
        for bytes in [&[][..], &[0x80], &OWNED[..14], &[&OWNED[..], &[0, 7]].concat()] {
            assert!(StickyData::decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
