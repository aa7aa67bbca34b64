//! JoinGroup: who may come in, under which id, and whether the group has to rebalance for it.

use crate::ids::{Generation, MemberId, Protocol};
use crate::wire::ErrorCode;

use super::effects::{JoinReply, Reply};
use super::event::{CALL_AGAIN, IdHandshake, JoinRequest, Ticket};
use super::limits::{MAX_MEMBER_ID_PREFIX_BYTES, MAX_PENDING_IDS, MAX_PROTOCOLS, NEW_MEMBER_JOIN_TIMEOUT};
use super::pending::PendingId;
use super::roster::{Member, Parked};
use super::state::State;
use super::trigger::Trigger;
use super::{Fact, Group, Step};

impl Group {
    pub(super) fn join(&mut self, ticket: Ticket, mut request: JoinRequest, step: &mut Step) {
        if self.is_store_behind() && !self.roster.members.contains_key(&request.member) {
            return Self::refuse_write(ticket, join_error(ErrorCode::None, request.member), step);
        }
        if self.store_refuses() && !self.roster.members.contains_key(&request.member) {
            return self.turn_away_newcomer(ticket, request, step);
        }
        self.roster.share_name(&mut request.protocols);
        let replaced = self.replaced_by(&request);
        if let Some(reason) = self.limits.session_refusal(request.session_timeout) {
            self.refuse_join(ticket, request, (ErrorCode::InvalidSessionTimeout, reason), step);
        } else if !self.has_room_for(&request.member, replaced.as_ref()) {
            self.turn_away(ticket, request, step);
        } else if let Err(refusal) = self.may_join(&request, replaced.as_ref()) {
            self.refuse_join(ticket, request, refusal, step);
        } else if let Some(old) = replaced {
            self.replace(ticket, &old, request, step);
        } else if request.member.as_str().is_empty() {
            self.join_newcomer(ticket, request, step);
        } else if self.roster.pending.contains_key(&request.member) {
            self.join_with_new_id(ticket, request, step);
        } else if let Err(error) = self.recognise(&request.member, request.instance.as_ref()) {
            self.reply(ticket, join_error(error, request.member), step);
        } else {
            self.rejoin(ticket, request, step);
        }
    }

    /// A newcomer comes back with the id that it was given. Ids are given so only to processes without an instance id.
    fn join_with_new_id(&mut self, ticket: Ticket, request: JoinRequest, step: &mut Step) {
        let id = request.member.clone();
        if request.instance.is_some() {
            return self.reply(ticket, join_error(ErrorCode::UnknownServerError, id), step);
        }
        self.roster.pending.remove(&id);
        self.add(ticket, id, request, true, step);
    }

    /// Who is in the group may come back, a newcomer only below `group.max.size`. A group that was read with more members
    /// than that keeps those who come back first.
    fn has_room_for(&self, id: &MemberId, replaced: Option<&MemberId>) -> bool {
        let (members, max) = (&self.roster.members, self.limits.max_size);
        match members.get(replaced.unwrap_or(id)) {
            None => members.len() < max,
            Some(member) if members.len() <= max || member.has_joined() => true,
            Some(_) if matches!(self.state, State::Joining(_)) => {
                members.values().filter(|member| member.has_joined()).count() < max
            }
            Some(_) => true,
        }
    }

    fn refuse_join(&mut self, ticket: Ticket, it: JoinRequest, (error, reason): (ErrorCode, String), step: &mut Step) {
        step.fact(Fact::Refused { api: "JoinGroup", client_id: it.client_id, error, reason });
        self.reply(ticket, join_error(error, it.member), step);
    }

    /// There is no room: not for a newcomer, and in a group that is too large not for the last of its members.
    fn turn_away(&mut self, ticket: Ticket, request: JoinRequest, step: &mut Step) {
        let (error, reason) = (ErrorCode::GroupMaxSizeReached, format!("group.max.size is {}", self.limits.max_size));
        step.fact(Fact::Refused { api: "JoinGroup", client_id: request.client_id, error, reason });
        self.reply(ticket, join_error(error, MemberId::default()), step);
        let known = self.roster.pending.remove(&request.member).is_some()
            | self.drop_member(&request.member, "the group is full", error, step);
        if known {
            self.try_complete(step);
        }
    }

    /// Whether its type and one of its protocols are everybody's.
    fn may_join(&mut self, request: &JoinRequest, replaced: Option<&MemberId>) -> Result<(), (ErrorCode, String)> {
        if request.protocol_type.as_str().is_empty() || request.protocols.is_empty() {
            return Err((ErrorCode::InconsistentGroupProtocol, "no protocol type or no protocols".to_owned()));
        }
        if request.protocols.len() > MAX_PROTOCOLS {
            let reason = format!("{} protocols, {MAX_PROTOCOLS} at most", request.protocols.len());
            return Err((ErrorCode::InconsistentGroupProtocol, reason));
        }
        let set = self.protocol_type.as_ref().filter(|_| !self.roster.members.is_empty());
        if let Some(kind) = set.filter(|kind| **kind != request.protocol_type) {
            let reason = format!("protocol type {:?}, but the group's is {kind:?}", request.protocol_type);
            return Err((ErrorCode::InconsistentGroupProtocol, reason));
        }
        if self.roster.is_known_to_fit(&request.protocols) {
            return Ok(());
        }
        let itself = replaced.unwrap_or(&request.member);
        let mut others = self.roster.members.iter().filter(|(id, _)| *id != itself).peekable();
        if others.peek().is_none() {
            return Ok(());
        }
        let others: Vec<&Member> = others.map(|(_, member)| member).collect();
        let common =
            |name: &Protocol| others.iter().all(|member| member.protocols.iter().any(|offered| offered.name == *name));
        let found = request.protocols.iter().find(|offered| common(&offered.name));
        let Some(found) = found else {
            let mine: Vec<&str> = request.protocols.iter().map(|offered| offered.name.as_str()).collect();
            let theirs: Vec<&str> = others[0].protocols.iter().map(|offered| offered.name.as_str()).collect();
            let reason =
                format!("it offers {mine:?}; no protocol of these is supported by all members (one offers {theirs:?})");
            return Err((ErrorCode::InconsistentGroupProtocol, reason));
        };
        self.roster.note_common(Some(&found.name));
        Ok(())
    }

    /// A newcomer gets an id, and with the handshake of KIP-394 it has to come back with it.
    fn join_newcomer(&mut self, ticket: Ticket, request: JoinRequest, step: &mut Step) {
        let id = self.new_member_id(&request, step.entropy);
        if request.handshake == IdHandshake::None || request.instance.is_some() {
            return self.add(ticket, id, request, false, step);
        }
        if self.roster.pending.len() >= MAX_PENDING_IDS {
            return self.reply(ticket, join_error(ErrorCode::GroupMaxSizeReached, MemberId::default()), step);
        }
        let expires = step.now.mono + request.session_timeout;
        let holds_until = step.now.mono + self.limits.initial_rebalance_delay;
        self.roster.pending.insert(id.clone(), PendingId { expires, holds_until });
        // While the group joins, the end of the phase sees to what holds it.
        self.wake_by(expires);
        self.reply(ticket, join_error(ErrorCode::MemberIdRequired, id), step);
    }

    /// The name that the client gives itself, and digits that nobody can guess.
    pub(super) fn new_member_id(&self, request: &JoinRequest, entropy: u64) -> MemberId {
        let name = request.instance.as_ref().map_or(&*request.client_id, |instance| instance.as_str());
        let prefix = &name[..name.floor_char_boundary(MAX_MEMBER_ID_PREFIX_BYTES)];
        let mut digits = entropy;
        loop {
            let id = MemberId::from(format!("{prefix}-{digits:016x}"));
            if !self.roster.members.contains_key(&id) && !self.roster.pending.contains_key(&id) {
                return id;
            }
            digits = digits.wrapping_add(1);
        }
    }

    fn add(&mut self, ticket: Ticket, id: MemberId, request: JoinRequest, knows_id: bool, step: &mut Step) {
        if self.roster.members.is_empty() {
            self.protocol_type = Some(request.protocol_type.clone());
        }
        step.fact(Fact::Joined {
            member: id.clone(),
            client_id: request.client_id.clone(),
            client_host: request.client_host.clone(),
        });
        let expires = step.now.mono + NEW_MEMBER_JOIN_TIMEOUT;
        let arrival = self.roster.next_arrival();
        let mut member = Member::new(request, knows_id, expires, arrival);
        member.parked = Parked::Join(ticket);
        self.roster.insert(id.clone(), member);
        self.wake_by(expires);
        if let State::Joining(joining) = &mut self.state {
            if let Some(initial) = &mut joining.initial {
                initial.newcomer = true;
            }
            self.try_complete(step);
        } else {
            self.rebalance(Trigger::MemberJoined(id), step);
        }
    }

    /// A member joins again. In an active generation that costs a rebalance only if something is new: the leader's word
    /// always is (it rejoins when topics change); a follower that lost an answer gets the same one again.
    fn rejoin(&mut self, ticket: Ticket, request: JoinRequest, step: &mut Step) {
        if self.keeps_generation() {
            return self.rejoin_kept(ticket, request, step);
        }
        let id = request.member.clone();
        let leads = self.leader.as_ref() == Some(&id);
        let Some(member) = self.roster.members.get(&id) else { return };
        let same = member.says_the_same(&request);
        self.supersede(&id, step);
        let trigger = match &self.state {
            State::Joining(_) => None,
            State::Stable(_) if leads => Some(leaders_cause(&request)),
            State::AwaitingSync(_) | State::Stable(_) | State::Empty if same => {
                return self.answer_again(ticket, &id, step);
            }
            _ => Some(Trigger::MetadataChanged(id.clone())),
        };
        if let Some(member) = self.roster.members.get_mut(&id) {
            member.update(request);
        }
        self.roster.park(&id, Parked::Join(ticket));
        self.roster.note_offers(&id);
        match trigger {
            Some(trigger) => self.rebalance(trigger, step),
            None => self.try_complete(step),
        }
    }

    /// The answer to a JoinGroup that changes nothing: the present generation once more.
    pub(super) fn answer_again(&mut self, ticket: Ticket, id: &MemberId, step: &mut Step) {
        self.renew(id, step.now.mono);
        let reply = self.join_reply(id);
        self.reply(ticket, Reply::Join(reply), step);
    }

    /// The same member asks again while an older request of it waits: the older one is answered 27, which every client
    /// takes as "join again", and frees its connection. A newcomer keeps the five minutes of its first join phase.
    pub(super) fn supersede(&mut self, id: &MemberId, step: &mut Step) {
        let parked = self.roster.park(id, Parked::Nothing);
        let Some(member) = self.roster.members.get_mut(id) else { return };
        match parked {
            Parked::Nothing => {}
            Parked::Join(old) => {
                if !member.is_new {
                    member.renew(step.now.mono);
                }
                self.reply(old, join_error(ErrorCode::RebalanceInProgress, id.clone()), step);
            }
            Parked::Sync(old) => {
                member.renew(step.now.mono);
                self.reply(old, Reply::Sync(self.sync_error(ErrorCode::RebalanceInProgress, None)), step);
            }
        }
        let expires = self.roster.members.get(id).map(|member| member.expires);
        expires.into_iter().for_each(|at| self.session_ends(at));
    }
}

/// Why a leader joins again: one of divvy's may have been told by its strategy when.
pub(super) fn leaders_cause(request: &JoinRequest) -> Trigger {
    match request.modules.is_some() && request.reason.as_deref() == Some(CALL_AGAIN) {
        true => Trigger::CallAgain,
        false => Trigger::LeaderRejoined(request.member.clone()),
    }
}

/// A JoinGroup answer that carries nothing but an error.
pub(crate) fn join_error(error: ErrorCode, member: MemberId) -> Reply {
    Reply::Join(JoinReply {
        error,
        generation: Generation::NONE,
        protocol_type: None,
        protocol: None,
        leader: MemberId::default(),
        member,
        skip_assignment: false,
        members: Vec::new(),
        divvy: None,
    })
}
