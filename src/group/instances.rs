//! Static membership (KIP-345): a process that keeps its instance id over restarts keeps its place. The newest process
//! of an instance id holds it; whoever held it before is fenced.

use crate::embedded::wants;
use crate::ids::{Generation, InstanceId, MemberId};
use crate::wire::ErrorCode;

use super::effects::{JoinReply, Reply};
use super::event::{JoinRequest, SkipAssignment, Ticket};
use super::join::join_error;
use super::roster::Parked;
use super::state::State;
use super::trigger::Trigger;
use super::vote::Offers;
use super::{Group, Step};

impl Group {
    /// The checks of every request of a member, in this order: whose instance id, who, then which generation.
    pub(super) fn validate(
        &mut self,
        member: &MemberId,
        instance: Option<&InstanceId>,
        generation: Generation,
    ) -> Result<(), ErrorCode> {
        self.recognise(member, instance)?;
        if generation != self.generation { Err(ErrorCode::IllegalGeneration) } else { Ok(()) }
    }

    /// Who it is. A static member that leaves its instance id out is taken at its word.
    ///
    /// Fencing is the end of a client, so only a holder that has shown itself may fence another: an id that was given to
    /// somebody whom its answer may never have reached, or that was read from the store and not used since, makes the
    /// other start over with 25 instead.
    pub(super) fn recognise(&mut self, member: &MemberId, instance: Option<&InstanceId>) -> Result<(), ErrorCode> {
        if let Some(instance) = instance {
            let holder = self.roster.holder(instance).ok_or(ErrorCode::UnknownMemberId)?;
            if holder != member {
                return Err(if self.is_unused(holder) {
                    ErrorCode::UnknownMemberId
                } else {
                    ErrorCode::FencedInstanceId
                });
            }
        }
        let known = self.roster.members.get_mut(member).ok_or(ErrorCode::UnknownMemberId)?;
        known.used_id = true;
        Ok(())
    }

    /// Whether nobody has shown that it is the member of this id, and nobody waits under it.
    fn is_unused(&self, id: &MemberId) -> bool {
        self.roster.members.get(id).is_some_and(|member| !member.used_id && member.parked == Parked::Nothing)
    }

    /// The member whose place a JoinGroup takes: that of the same instance id. A newcomer takes it over; so does a process
    /// that still names the id it had before, when the answer with the new one never reached it.
    pub(super) fn replaced_by(&self, request: &JoinRequest) -> Option<MemberId> {
        let holder = self.roster.holder(request.instance.as_ref()?)?;
        let is_newcomer = request.member.as_str().is_empty();
        let lost_its_answer = *holder != request.member && self.is_unused(holder);
        (is_newcomer || lost_its_answer).then(|| holder.clone())
    }

    /// A process takes the place of an earlier one: state, leadership and rank are its own now. The group rebalances only
    /// if it has to: while it waits for the leader's plan (which would name the old id), or if what the new process offers
    /// changes the protocol, or if it wants something else than the old one.
    pub(super) fn replace(&mut self, ticket: Ticket, old: &MemberId, request: JoinRequest, step: &mut Step) {
        let new = self.new_member_id(&request, step.entropy);
        let Some(mut member) = self.roster.remove(old) else { return };
        step.effects.replies.extend(member.waiting.take().map(|beat| beat.answer(ErrorCode::FencedInstanceId)));
        match std::mem::replace(&mut member.parked, Parked::Nothing) {
            Parked::Nothing => {}
            Parked::Join(older) => self.reply(older, join_error(ErrorCode::FencedInstanceId, old.clone()), step),
            Parked::Sync(older) => {
                let reply = self.sync_error(ErrorCode::FencedInstanceId, None);
                self.reply(older, Reply::Sync(reply), step);
            }
        }
        let skips = request.skip_assignment;
        let protocol = self.protocol.clone().unwrap_or_default();
        let said = member.metadata(&protocol);
        member.update(request);
        let says = member.metadata(&protocol);
        let news = match said == says {
            true => News::Nothing,
            false if !member.offers(&protocol) => News::Bytes,
            false => self.news_in(&said, &says, member.modules.is_some()),
        };
        (member.used_id, member.knows_id, member.replaces) = (false, false, true);
        // It need not ask for a state before it knows its place: its session says how long that is kept (KIP-345).
        member.synced = true;
        // Its place is an old one: while its JoinGroup waits it does not expire (S35).
        member.is_new = false;
        member.renew(step.now.mono);
        self.wake_by(member.expires);
        self.roster.insert(new.clone(), member);
        let led = self.leader.as_ref() == Some(old);
        if led {
            self.leader = Some(new.clone());
        }
        step.fact(super::Fact::Replaced { old: old.clone(), new: new.clone() });
        self.follow_up_replacement(ticket, Replacement { old, new, led, skips, news }, step);
    }

    /// Kafka plans anew only when the leader finds out, if ever. That is no use to a process that wants something else by
    /// now: the plan names what it does not read, and what it reads is nobody's.
    fn news_in(&self, said: &[u8], says: &[u8], is_divvys: bool) -> News {
        let kind = self.protocol_type.as_ref().map_or("", |kind| kind.as_str());
        if wants::differ(kind, said, says, is_divvys) { News::Wants } else { News::Bytes }
    }

    fn follow_up_replacement(&mut self, ticket: Ticket, it: Replacement<'_>, step: &mut Step) {
        let keeps_generation = matches!(self.state, State::Stable(_))
            && it.news != News::Wants
            && self.vote(Offers::AsJoined, self.protocol.as_ref(), self.judged_at) == self.protocol;
        if !keeps_generation {
            self.roster.park(&it.new, Parked::Join(ticket));
            return match self.state {
                State::Joining(_) => self.try_complete(step),
                _ if it.news == News::Wants => self.rebalance(Trigger::MetadataChanged(it.new), step),
                _ => self.rebalance(Trigger::Replaced(it.new), step),
            };
        }
        if let Some(plan) = &mut self.plan {
            plan.rename(it.old, &it.new);
        }
        self.places.rename(it.old, &it.new);
        self.ownership.rename(it.old, &it.new);
        self.settle();
        // A replacement that a crash could undo would fence the process that lives (KAFKA-10284).
        self.emit_generation(step);
        let reply = self.replacement_reply(&it);
        self.reply(ticket, Reply::Join(reply), step);
        if let Some(trigger) = self.better_at_hand() {
            self.rebalance(trigger, step);
        } else if it.news == News::Bytes {
            self.look_at_replaced(it.new, step);
        }
    }

    /// The generation goes on, so a leader has no plan to make: from v9 on it is told so, with everybody listed (KIP-814);
    /// before, it must not see itself as the leader, or it would.
    fn replacement_reply(&self, it: &Replacement<'_>) -> JoinReply {
        let reply = self.join_reply(&it.new);
        match (it.led, it.skips) {
            (false, _) => reply,
            (true, SkipAssignment::Understood) => JoinReply { skip_assignment: true, ..reply },
            (true, SkipAssignment::Unknown) => JoinReply { leader: it.old.clone(), members: Vec::new(), ..reply },
        }
    }
}

/// A process in the place of another.
struct Replacement<'a> {
    old: &'a MemberId,
    new: MemberId,
    /// Whether the old one led.
    led: bool,
    /// Whether the new one can lead without making a plan.
    skips: SkipAssignment,
    news: News,
}

/// What a process says of itself, beside what the one before it said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum News {
    /// The same.
    Nothing,
    /// Other bytes, and it wants the same for all that can be told.
    Bytes,
    /// It wants something else.
    Wants,
}
