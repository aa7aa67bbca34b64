//! The plan of shape `partitions`, written where the host will read it.

use crate::abi::Width;
use crate::abi::reply::{self, Level, Line, PLAN_HEAD_BYTES};
use crate::outcome::Outcome;
use crate::{Group, Member, Partition, Partitions, Refusal};

/// Room behind the owner maps for what usually follows them, so that the reply is not moved for it.
const TAIL_BYTES: usize = 64;

/// Runs up to this length are written one by one: shorter than a call that copies memory.
const SHORT_RUN: usize = 8;

/// Who owns which partition. Partitions that are given to nobody have no owner, which the host accepts only when the manifest says
/// `complete: false`.
pub struct Owners {
    reply: Vec<u8>,
    width: Width,
    partitions: usize,
    members: u32,
    copies: u16,
    user_data: Option<Vec<Option<Vec<u8>>>>,
    outcome: Outcome,
}

impl Owners {
    pub(crate) fn new(group: &Group<'_>) -> Result<Self, Refusal> {
        let mut owners = Owners {
            reply: Vec::new(),
            width: group.width(),
            partitions: group.partitions().len(),
            members: group.members().len() as u32,
            copies: 1,
            user_data: None,
            outcome: Outcome::default(),
        };
        owners.clear(1)?;
        Ok(owners)
    }

    /// Makes room for several owners of each partition, and forgets what was given. Only for manifests with `copies: many`.
    pub fn set_copies(&mut self, copies: u16) -> Result<(), Refusal> {
        if copies == 0 {
            return Err(Refusal::new("bad_copies", "a plan needs at least one copy of each partition"));
        }
        self.clear(copies)
    }

    /// Gives a partition to a member.
    ///
    /// # Panics
    /// When the partition is not one of the group's.
    #[inline]
    pub fn give(&mut self, partition: Partition, member: Member<'_>) {
        assert!(partition.index() < self.partitions, "a partition of another group");
        self.set(partition.index(), member);
    }

    /// Gives the owner of one copy; copy 0 is the primary.
    ///
    /// # Panics
    /// When the partition is not one of the group's, or there are not that many copies.
    #[inline]
    pub fn give_copy(&mut self, copy: u16, partition: Partition, member: Member<'_>) {
        assert!(partition.index() < self.partitions, "a partition of another group");
        assert!(copy < self.copies, "more copies than were set");
        self.set(usize::from(copy) * self.partitions + partition.index(), member);
    }

    /// Gives a partition to the members with these [indexes](Member::index), the primary first.
    ///
    /// # Panics
    /// When the partition is not one of the group's, or there are not that many copies or members.
    #[inline]
    pub fn give_copies(&mut self, partition: Partition, members: &[u32]) {
        assert!(partition.index() < self.partitions, "a partition of another group");
        assert!(members.len() <= usize::from(self.copies), "more copies than were set");
        for (copy, &member) in members.iter().enumerate() {
            assert!(member < self.members, "an index beyond the members");
            self.width.set(
                &mut self.reply[PLAN_HEAD_BYTES..],
                copy * self.partitions + partition.index(),
                Some(member),
            );
        }
    }

    /// Gives consecutive partitions to one member.
    ///
    /// # Panics
    /// When a partition is not one of the group's.
    #[inline]
    pub fn give_run(&mut self, partitions: Partitions, member: Member<'_>) {
        let (start, len) = (partitions.start(), partitions.len());
        assert!(start + len <= self.partitions, "a partition of another group");
        for slot in start..start + len.min(SHORT_RUN) {
            self.set(slot, member);
        }
        self.repeat(start, len.min(SHORT_RUN), len);
    }

    /// Deals consecutive partitions out like cards, beginning with the member at `first`, round and round. Nobody to deal to: nothing
    /// is given. Costs a copy of memory, not a loop over partitions.
    ///
    /// # Panics
    /// When a partition is not one of the group's.
    pub fn deal(&mut self, partitions: Partitions, members: &[Member<'_>], first: usize) {
        let (start, len) = (partitions.start(), partitions.len());
        assert!(start + len <= self.partitions, "a partition of another group");
        let Some(first) = first.checked_rem(members.len()) else { return };
        let round = members[first..].iter().chain(&members[..first]);
        for (slot, &member) in (start..start + len).zip(round) {
            self.set(slot, member);
        }
        self.repeat(start, len.min(members.len()), len);
    }

    /// Gives consecutive partitions to the members with these indexes; an index beyond the members gives a partition to nobody.
    #[inline(never)]
    pub(crate) fn write(&mut self, start: usize, owners: &[u32]) {
        let bytes = self.width.bytes();
        let slots = &mut self.reply[PLAN_HEAD_BYTES + start * bytes..][..owners.len() * bytes];
        match self.width {
            Width::Two => {
                for (slot, owner) in slots.chunks_exact_mut(2).zip(owners) {
                    slot.copy_from_slice(&(*owner as u16).to_le_bytes());
                }
            }
            Width::Four => {
                for (slot, owner) in slots.chunks_exact_mut(4).zip(owners) {
                    slot.copy_from_slice(&owner.to_le_bytes());
                }
            }
        }
    }

    /// The cells of all partitions, each with the index of a member, or all ones for nobody. For plans whose [`Width`] this is.
    pub(crate) fn cells<const N: usize>(&mut self) -> &mut [[u8; N]] {
        debug_assert!(self.width.bytes() == N, "a cell of another width");
        let (cells, _) = self.reply[PLAN_HEAD_BYTES..].as_chunks_mut();
        &mut cells[..self.partitions]
    }

    /// The index of the member that was given a partition.
    #[inline]
    pub fn owner(&self, partition: Partition) -> Option<usize> {
        self.width.get(&self.reply[PLAN_HEAD_BYTES..], partition.index()).map(|owner| owner as usize)
    }

    pub(crate) fn owner_of(&self, partition: u32) -> Option<u32> {
        self.width.get(&self.reply[PLAN_HEAD_BYTES..], partition as usize)
    }

    pub(crate) fn take_back(&mut self, partition: u32) {
        self.width.set(&mut self.reply[PLAN_HEAD_BYTES..], partition as usize, None);
    }

    /// User data for a member's assignment.
    pub fn user_data(&mut self, member: Member<'_>, data: Vec<u8>) {
        let members = self.members as usize;
        self.user_data.get_or_insert_with(|| vec![None; members])[member.index()] = Some(data);
    }

    /// What to remember for the next call of this group, at most 64 KiB.
    pub fn remember(&mut self, memo: Vec<u8>) {
        self.outcome.memo = Some(memo);
    }

    /// When to make a new plan although nothing changed.
    pub fn call_again_ms(&mut self, ms: u64) {
        self.outcome.call_again_ms = Some(ms);
    }

    /// A line for the log that explains the plan; the host keeps 64 lines and 16 KiB.
    pub fn note(&mut self, level: Level, text: &str) {
        self.outcome.note(level, text);
    }

    #[inline]
    fn set(&mut self, slot: usize, member: Member<'_>) {
        debug_assert!((member.index() as u32) < self.members, "a member of another group");
        let owner = (member.index() as u32).to_le_bytes();
        match self.width {
            Width::Two => self.reply[PLAN_HEAD_BYTES + 2 * slot..][..2].copy_from_slice(&owner[..2]),
            Width::Four => self.reply[PLAN_HEAD_BYTES + 4 * slot..][..4].copy_from_slice(&owner),
        }
    }

    /// Fills `len` slots with what the first `round` of them hold, over and over: copies what is there, twice as much each time.
    fn repeat(&mut self, start: usize, round: usize, len: usize) {
        let bytes = self.width.bytes();
        let (from, total) = (PLAN_HEAD_BYTES + start * bytes, len * bytes);
        let mut done = round * bytes;
        while done < total {
            let more = done.min(total - done);
            self.reply.copy_within(from..from + more, from + done);
            done += more;
        }
    }

    fn clear(&mut self, copies: u16) -> Result<(), Refusal> {
        let too_large = || Refusal::new("too_large", "there is no memory for the owner maps of this plan");
        let bytes = (self.partitions * self.width.bytes()).checked_mul(usize::from(copies));
        let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or_else(too_large)?;
        self.copies = copies;
        self.reply.clear();
        let whole = PLAN_HEAD_BYTES + bytes as usize;
        self.reply.try_reserve_exact(whole + TAIL_BYTES).map_err(|_| too_large())?;
        self.reply.extend_from_slice(&reply::plan_head(copies, bytes));
        self.reply.resize(whole, 0xff);
        Ok(())
    }

    pub(crate) fn into_reply(self) -> Vec<u8> {
        let Owners { mut reply, user_data, outcome: Outcome { memo, call_again_ms, diag, .. }, .. } = self;
        reply::plan_tail(&mut reply, user_data.as_deref(), memo.as_deref(), call_again_ms, &diag);
        reply
    }

    pub(crate) fn into_diag(self) -> Vec<Line> {
        self.outcome.diag
    }
}
