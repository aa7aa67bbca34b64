//! The user data of Kafka's sticky strategies (KIP-54): what a member had, and in which generation.
//!
//! `sticky` writes partitions and generation (an older form of it no generation); Java's `cooperative-sticky` writes the
//! generation alone, since its partitions stand in the subscription; other clients write the long form under both names.
//! None of the forms says which one it is.

use super::classic::{NotDecodable, Reader};
use super::owned::{Owned, read_owned};

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
        let owned = read_owned(&mut reader)?;
        let generation = if reader.is_empty() { -1 } else { reader.i32("generation")?.max(-1) };
        Ok(Self { generation, owned })
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
    fn other_bytes_are_no_claim() {
        for bytes in [&[][..], &[0x80], &OWNED[..14], &[&OWNED[..], &[0, 7]].concat()] {
            assert!(StickyData::decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
