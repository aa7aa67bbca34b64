//! A store that hangs is not a place to put things into: what waits for it is bounded.

use std::sync::Arc;

use divvy::group::effects::Effects;
use divvy::group::event::*;
use divvy::group::limits::MAX_UNSTORED_RECORDS;
use divvy::group::{Group, GroupLimits, GroupSettings, Reply};
use divvy::ids::{Generation, GroupId, MemberId};
use divvy::time::{Now, Timestamp};
use divvy::wire::ErrorCode;

/// Partitions of one commit.
const AT_ONCE: i32 = 1000;

struct World {
    group: Group,
    tickets: u64,
    upto: Seq,
    now: Now,
}

impl World {
    fn new() -> Self {
        let (limits, settings) = (GroupLimits::default(), GroupSettings::default());
        let group = Group::new(GroupId::from("g"), Arc::new(limits), Arc::new(settings), Now::default());
        Self { group, tickets: 0, upto: Seq(0), now: Now::default() }
    }

    fn give(&mut self, event: Event) -> Effects {
        let effects = self.group.handle(Input { event, now: self.now, entropy: 7 });
        self.upto = effects.upto;
        effects
    }

    fn ask(&mut self, event: impl FnOnce(Ticket) -> Event) -> (Ticket, Effects) {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        (ticket, self.give(event(ticket)))
    }

    fn commit(&mut self) -> (Ticket, Effects) {
        let offset = |partition| CommittedOffset {
            topic: "t".into(),
            partition,
            offset: 1,
            leader_epoch: -1,
            metadata: String::new(),
        };
        let request = CommitRequest {
            member: MemberId::default(),
            instance: None,
            generation: Generation::NONE,
            retention: None,
            offsets: (0..AT_ONCE).map(offset).collect(),
        };
        self.ask(|ticket| Event::Commit(ticket, request))
    }

    /// What is written to the group now is refused at once, and leaves nothing behind.
    fn is_refused(&mut self, event: impl FnOnce(Ticket) -> Event) {
        let (asked, effects) = self.ask(event);
        assert!(effects.records.is_empty(), "{effects:?}");
        let [(ticket, reply)] = effects.replies.as_slice() else { panic!("{effects:?}") };
        assert_eq!((*ticket, error(reply)), (asked, ErrorCode::CoordinatorNotAvailable));
    }
}

fn error(reply: &Reply) -> ErrorCode {
    match reply {
        Reply::Commit(each) => each[0].2,
        Reply::DeleteGroup(error) => *error,
        Reply::DeleteOffsets(reply) => reply.error,
        Reply::Join(reply) => reply.error,
        other => panic!("{other:?}"),
    }
}

fn newcomer() -> JoinRequest {
    JoinRequest {
        member: MemberId::default(),
        instance: None,
        client_id: "c".into(),
        client_host: "".into(),
        session_timeout: std::time::Duration::from_secs(10),
        rebalance_timeout: std::time::Duration::from_secs(10),
        protocol_type: "consumer".into(),
        protocols: [OfferedProtocol { name: "range".into(), metadata: Default::default() }].into(),
        handshake: IdHandshake::None,
        modules: None,
        skip_assignment: SkipAssignment::Unknown,
        reason: None,
    }
}

#[test]
fn what_waits_for_a_store_that_hangs_is_bounded() {
    let mut world = World::new();
    for _ in 0..MAX_UNSTORED_RECORDS / AT_ONCE as u64 {
        let (_, effects) = world.commit();
        assert_eq!(effects.records.len(), AT_ONCE as usize);
        assert!(effects.replies.is_empty(), "it waits for the store");
    }
    let (asked, effects) = world.commit();
    assert!(effects.records.is_empty(), "nothing more is taken on");
    let [(ticket, reply)] = effects.replies.as_slice() else { panic!("{effects:?}") };
    assert_eq!((*ticket, error(reply)), (asked, ErrorCode::CoordinatorNotAvailable));
    world.is_refused(Event::DeleteGroup);
    let partitions = vec![("t".into(), 0)];
    world.is_refused(|ticket| Event::DeleteOffsets(ticket, DeleteOffsetsRequest { partitions }));
    world.is_refused(|ticket| Event::Join(ticket, newcomer()));

    // Everybody who waits is told after five seconds; what they wrote is on its way all the same.
    world.now.mono = Timestamp(5000);
    assert_eq!(world.group.next_deadline(), Some(world.now.mono));
    let given_up = world.give(Event::Tick);
    assert_eq!(given_up.replies.len() as u64, MAX_UNSTORED_RECORDS / AT_ONCE as u64);
    assert!(given_up.replies.iter().all(|(_, reply)| error(reply) == ErrorCode::CoordinatorNotAvailable));
    let stored = world.give(Event::Stored(world.upto));
    assert!(stored.replies.is_empty(), "nobody is answered twice");
    assert_eq!(world.group.persisted().offsets.len(), AT_ONCE as usize);

    // And the group takes on what comes.
    let (ticket, effects) = world.commit();
    assert!(effects.replies.is_empty() && !effects.records.is_empty());
    let stored = world.give(Event::Stored(world.upto));
    assert_eq!(stored.replies.first().map(|(ticket, reply)| (*ticket, error(reply))), Some((ticket, ErrorCode::None)));
}
