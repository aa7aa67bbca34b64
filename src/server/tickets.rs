//! Who waits for which answer: a ticket names a place in a connection's order of answers.

use std::sync::Arc;

use super::connection::Connection;
use crate::group::Ticket;
use crate::ids::GroupId;

/// A request that a shard has not answered yet.
pub(crate) struct Waiting {
    /// Where the answer goes.
    pub(crate) connection: Arc<Connection>,
    /// Its place among the connection's answers.
    pub(crate) place: u64,
    /// Which of the answer's parts it is, for requests about several groups.
    pub(crate) part: u32,
    /// The group that was asked.
    pub(crate) group: GroupId,
}

/// The tickets of one shard. A ticket is an index and how often its slot was used before, so a late answer never
/// reaches the slot's next holder.
#[derive(Default)]
pub(crate) struct Tickets {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

struct Slot {
    uses: u32,
    waiting: Option<Waiting>,
}

impl Tickets {
    /// A ticket for one that waits.
    pub(crate) fn issue(&mut self, waiting: Waiting) -> Ticket {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { uses: 0, waiting: None });
            u32::try_from(self.slots.len() - 1).expect("connections and their open requests are bounded far below 2^32")
        });
        let slot = &mut self.slots[index as usize];
        slot.waiting = Some(waiting);
        Ticket(u64::from(slot.uses) << 32 | u64::from(index))
    }

    /// The one that waits, if it still does.
    pub(crate) fn get(&self, ticket: Ticket) -> Option<&Waiting> {
        let (index, uses) = split(ticket);
        self.slots.get(index).filter(|slot| slot.uses == uses)?.waiting.as_ref()
    }

    /// Takes the ticket back.
    pub(crate) fn redeem(&mut self, ticket: Ticket) -> Option<Waiting> {
        let (index, uses) = split(ticket);
        let slot = self.slots.get_mut(index).filter(|slot| slot.uses == uses)?;
        let waiting = slot.waiting.take()?;
        slot.uses = slot.uses.wrapping_add(1);
        self.free.push(index as u32);
        Some(waiting)
    }
}

fn split(ticket: Ticket) -> (usize, u32) {
    (ticket.0 as u32 as usize, (ticket.0 >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_names_its_slot_and_its_use_of_it() {
        for ticket in [Ticket(0), Ticket(7), Ticket(1 << 32 | 7)] {
            let (index, uses) = split(ticket);
            assert_eq!(Ticket(u64::from(uses) << 32 | index as u64), ticket);
        }
        let tickets = Tickets::default();
        assert!(tickets.get(Ticket(7)).is_none(), "a ticket that was never issued is nobody's");
    }
}
