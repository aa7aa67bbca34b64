//! What a share means beyond its bytes: who writes, and who is the primary.

use crate::embedded::single_writer::Role;
use crate::embedded::told::{Primaries, Told};
use crate::membership::{Assigned, Share};

/// What a member of type `single-writer` has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Duty {
    /// It is the writer.
    Active(Writer),
    /// Another one is.
    Standby {
        /// Who; nobody while it is empty.
        active: String,
    },
}

/// The right to write. The epoch grows with each hand-over: whatever is written to refuses a writer whose epoch is
/// smaller than the largest it has seen, and so a writer that was replaced and does not know it yet does no harm.
///
/// It is the group's generation, and grows for as long as the coordinator knows the group. divvy's forgets one of type
/// `single-writer` when it was empty for `offsets.retention.minutes` (a week), or is deleted. Kafka's forgets an empty group
/// without offsets within ten minutes (`offsets.retention.check.interval.ms`). Then epochs begin with 1 again: keep a standby
/// running, or, once no old writer can be alive, let what is written to forget the largest epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Writer {
    /// The fencing token.
    pub epoch: i32,
}

impl Assigned {
    /// What to do, for a member of type `single-writer`; none if the state is not one of that type.
    pub fn duty(&self) -> Option<Duty> {
        let Share::State(state) = &self.share else { return None };
        let role = Role::decode(state).ok()?;
        Some(match role.active {
            true => Duty::Active(Writer { epoch: role.epoch }),
            false => Duty::Standby { active: role.active_member },
        })
    }

    /// The right to write what this share names: for the active member of type `single-writer`, and for who has partitions
    /// under a strategy for type `consumer` that tells an epoch (`single-writer`, `redundant`).
    pub fn writer(&self) -> Option<Writer> {
        match (&self.share, self.duty()) {
            (Share::State(_), Some(Duty::Active(writer))) => Some(writer),
            (Share::Partitions(_), _) if !self.share.is_nothing() => Some(Writer { epoch: self.told()?.epoch }),
            _ => None,
        }
    }

    /// Whether this member is the primary of a partition, where a strategy gives each of them to several members
    /// (`redundant`). None if it is not this member's, or nothing is said. For many of them ask [`Assigned::primaries`].
    pub fn is_primary(&self, topic: &str, partition: i32) -> Option<bool> {
        let Share::Partitions(topics) = &self.share else { return None };
        let holds = |list: &[i32]| list.contains(&partition);
        topics.iter().find(|(name, numbers)| *name == *topic && holds(numbers))?;
        Some(self.primaries()?.iter().any(|(name, numbers)| *name == topic && holds(numbers)))
    }

    /// The partitions that this member is the primary of, by topic; none if nothing is said.
    pub fn primaries(&self) -> Option<Vec<(&str, Vec<i32>)>> {
        let Share::Partitions(topics) = &self.share else { return None };
        let count: usize = topics.iter().map(|(_, numbers)| numbers.len()).sum();
        let told = self.told()?.primaries;
        let is_marked = |topic: &str, number: i32, place: usize| match &told {
            Primaries::Unsaid => false,
            Primaries::Bits(bits) => bits.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1),
            Primaries::Named(named) => named.get(topic).is_some_and(|numbers| numbers.binary_search(&number).is_ok()),
        };
        match &told {
            Primaries::Unsaid => return None,
            // A bit for each of them: with more or fewer it speaks of another share.
            Primaries::Bits(bits) if bits.len() != count.div_ceil(8) => return None,
            Primaries::Bits(_) | Primaries::Named(_) => {}
        }
        let mut place = 0..;
        let all = topics.iter().map(|(topic, numbers)| {
            let marked =
                numbers.iter().zip(&mut place).filter(|(number, place)| is_marked(topic.as_str(), **number, *place));
            (topic.as_str(), marked.map(|(number, _)| *number).collect::<Vec<_>>())
        });
        Some(all.filter(|(_, numbers)| !numbers.is_empty()).collect())
    }

    fn told(&self) -> Option<Told> {
        Told::decode(self.user_data.as_deref()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::ids::{Generation, MemberId, Protocol};
    use crate::membership::{Cause, Role as Place};

    fn assigned(user_data: &'static [u8]) -> Assigned {
        Assigned {
            generation: Generation(7),
            protocol: Protocol::from("redundant@1"),
            digest: None,
            served_by: None,
            stand_in: None,
            leader: MemberId::default(),
            member: MemberId::default(),
            role: Place::Follower,
            cause: Cause::Group,
            share: Share::Partitions(vec![("a".into(), vec![0, 3]), ("b".into(), vec![1])]),
            user_data: Some(Bytes::from_static(user_data)),
        }
    }

    #[test]
    fn bits_are_for_all_partitions_in_their_order() {
        let work = assigned(&[0x93, 1, 7, 0xc4, 1, 0b110]);
        assert_eq!(work.primaries(), Some(vec![("a", vec![3]), ("b", vec![1])]));
        let is_primary = [("a", 0), ("a", 3), ("b", 1), ("b", 0)].map(|(topic, number)| work.is_primary(topic, number));
        assert_eq!(is_primary, [Some(false), Some(true), Some(true), None]);
        assert_eq!(work.writer(), Some(Writer { epoch: 7 }));
    }

    #[test]
    fn names_may_be_of_partitions_that_are_held_back() {
        let work = assigned(&[0x93, 1, 7, 0x81, 0xa1, b'a', 0x92, 9, 0]);
        assert_eq!(work.primaries(), Some(vec![("a", vec![0])]));
        assert_eq!((work.is_primary("a", 9), work.is_primary("b", 1)), (None, Some(false)));
    }

    #[test]
    fn nothing_is_made_up() {
        for silent in [&[0x92, 1, 7][..], &[0x93, 1, 7, 0xc0], &[0x93, 1, 7, 0xc4, 2, 1, 1], b"another's bytes", b""] {
            assert_eq!(assigned(silent).primaries(), None, "{silent:?}");
            assert_eq!(assigned(silent).is_primary("a", 0), None, "{silent:?}");
        }
        let nothing = Assigned { share: Share::Partitions(Vec::new()), ..assigned(&[0x92, 1, 7]) };
        assert_eq!(nothing.writer(), None, "who has nothing writes nothing");
    }
}
