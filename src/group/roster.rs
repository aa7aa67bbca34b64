//! Who is in a group: its members, and the ids that were handed out and not used yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::event::{JoinRequest, ModuleOffer, OfferedProtocol, Ticket};
use super::pending::PendingIds;
use super::record::MemberRecord;
use super::waiting::WaitingBeat;
use crate::ids::{Digest, InstanceId, MemberId, Protocol};
use crate::time::Timestamp;

/// One member, as its coordinator sees it.
#[derive(Debug)]
pub(super) struct Member {
    pub instance: Option<InstanceId>,
    pub client_id: Arc<str>,
    pub client_host: Arc<str>,
    pub session_timeout: Duration,
    pub rebalance_timeout: Duration,
    /// What it offers, most wanted first.
    pub protocols: Arc<[OfferedProtocol]>,
    /// The modules behind its offers; none for a member that is not divvy's.
    pub modules: Option<Vec<ModuleOffer>>,
    /// The modules that it would offer now, when a heartbeat said that they are others.
    pub announced: Option<Vec<ModuleOffer>>,
    /// Whether it was read from the store and has not said since what it can run: only JoinGroup's word is stored.
    pub unheard: bool,
    /// The request of it that waits.
    pub parked: Parked,
    /// The heartbeat of it that waits.
    pub waiting: Option<WaitingBeat>,
    /// Still in its first join phase.
    pub is_new: bool,
    /// Whether it can know its id: it was told it by an answer.
    pub knows_id: bool,
    /// Whether a request has named its present id since it was given or restored: somebody lives under it.
    pub used_id: bool,
    /// Whether its place is older than its id: it took it over from an earlier process (KIP-345).
    pub replaces: bool,
    /// Whether it has asked for its state in this generation.
    pub synced: bool,
    /// When its silence has lasted too long. Not looked at while a request of it waits (unless it is new).
    pub expires: Timestamp,
    /// The order of arrival.
    pub arrival: u64,
}

/// A member's request that waits for its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parked {
    Nothing,
    Join(Ticket),
    Sync(Ticket),
}

impl Parked {
    fn ticket(self) -> Option<Ticket> {
        match self {
            Parked::Nothing => None,
            Parked::Join(ticket) | Parked::Sync(ticket) => Some(ticket),
        }
    }
}

impl Member {
    /// A newcomer, from its first JoinGroup.
    pub fn new(request: JoinRequest, knows_id: bool, expires: Timestamp, arrival: u64) -> Self {
        Self {
            instance: request.instance,
            client_id: request.client_id,
            client_host: request.client_host,
            session_timeout: request.session_timeout,
            rebalance_timeout: request.rebalance_timeout,
            protocols: request.protocols,
            modules: request.modules,
            announced: None,
            unheard: false,
            parked: Parked::Nothing,
            waiting: None,
            is_new: true,
            knows_id,
            used_id: false,
            replaces: false,
            synced: false,
            expires,
            arrival,
        }
    }

    /// A member read from the store: it gets a fresh session.
    pub fn restored(record: MemberRecord, now: Timestamp, arrival: u64) -> (MemberId, Self) {
        let session_timeout = Duration::from_millis(record.session_timeout_ms.into());
        let member = Self {
            instance: record.instance,
            client_id: record.client_id,
            client_host: record.client_host,
            session_timeout,
            rebalance_timeout: Duration::from_millis(record.rebalance_timeout_ms.into()),
            protocols: record.protocols,
            unheard: record.modules.is_some(),
            modules: record.modules,
            announced: None,
            parked: Parked::Nothing,
            waiting: None,
            is_new: false,
            knows_id: true,
            used_id: false,
            replaces: false,
            synced: true,
            expires: now + session_timeout,
            arrival,
        };
        (record.id, member)
    }

    /// What is stored of it.
    pub fn record(&self, id: &MemberId) -> MemberRecord {
        let millis = |d: Duration| u32::try_from(d.as_millis()).unwrap_or(u32::MAX);
        MemberRecord {
            id: id.clone(),
            instance: self.instance.clone(),
            client_id: self.client_id.clone(),
            client_host: self.client_host.clone(),
            session_timeout_ms: millis(self.session_timeout),
            rebalance_timeout_ms: millis(self.rebalance_timeout),
            protocols: self.protocols.clone(),
            modules: self.modules.clone(),
        }
    }

    /// Whether a JoinGroup says just what the member said before: same protocols in the same order with the same bytes,
    /// and the same modules.
    pub fn says_the_same(&self, request: &JoinRequest) -> bool {
        self.protocols == request.protocols && self.modules == request.modules
    }

    /// Takes what a later JoinGroup says. Its instance id stays, said or not.
    pub fn update(&mut self, request: JoinRequest) {
        self.client_id = request.client_id;
        self.client_host = request.client_host;
        self.session_timeout = request.session_timeout;
        self.rebalance_timeout = request.rebalance_timeout;
        self.protocols = request.protocols;
        self.modules = request.modules;
        (self.announced, self.unheard) = (None, false);
    }

    /// Whether it offers a protocol.
    pub fn offers(&self, protocol: &Protocol) -> bool {
        self.protocols.iter().any(|offered| offered.name == *protocol)
    }

    /// Its metadata under a protocol; nothing if it does not offer it.
    pub fn metadata(&self, protocol: &Protocol) -> Bytes {
        self.protocols.iter().find(|offered| offered.name == *protocol).map(|o| o.metadata.clone()).unwrap_or_default()
    }

    /// The modules that it can run, as it last said.
    pub fn present_modules(&self) -> &[ModuleOffer] {
        self.announced.as_deref().or(self.modules.as_deref()).unwrap_or_default()
    }

    /// The module that it would run for a protocol.
    pub fn module(&self, protocol: &Protocol) -> Option<Digest> {
        self.present_modules().iter().find(|module| module.protocol == *protocol).map(|module| module.digest)
    }

    /// The protocols that it would offer if it joined now, most wanted first: what it announced, then those of its
    /// offers that have no module behind them.
    pub fn present_offers(&self) -> Vec<&Protocol> {
        let offered = || self.protocols.iter().map(|offered| &offered.name);
        let Some(announced) = &self.announced else { return offered().collect() };
        let old = self.modules.as_deref().unwrap_or_default();
        let without_module = offered().filter(|name| !old.iter().any(|module| module.protocol == **name));
        let mut all: Vec<&Protocol> = announced.iter().map(|module| &module.protocol).collect();
        for name in without_module {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }

    /// Whether it keeps its place while it is away (KIP-345).
    pub fn is_static(&self) -> bool {
        self.instance.is_some()
    }

    /// Of what of it waits.
    fn tickets(&self) -> impl Iterator<Item = Ticket> + use<> {
        self.parked.ticket().into_iter().chain(self.waiting.map(WaitingBeat::ticket))
    }

    /// Whether its JoinGroup waits.
    pub fn has_joined(&self) -> bool {
        matches!(self.parked, Parked::Join(_))
    }

    /// Whether its silence counts now.
    pub fn can_expire(&self) -> bool {
        self.is_new || self.parked == Parked::Nothing
    }

    /// It gave a sign of life.
    pub fn renew(&mut self, now: Timestamp) {
        self.expires = now + self.session_timeout;
    }
}

/// The members and the pending ids of a group.
#[derive(Debug, Default)]
pub(super) struct Roster {
    pub members: BTreeMap<MemberId, Member>,
    pub pending: PendingIds,
    /// The members whose heartbeats wait, by when their time is over.
    pub waits: BTreeSet<(Timestamp, MemberId)>,
    /// No session ends earlier. A heartbeat only moves one on, so that it need not be found in any order: when the bound
    /// is reached, one look at all finds the next, nearly a session away.
    sessions_end: Option<Timestamp>,
    /// The member of each instance id.
    instances: BTreeMap<InstanceId, MemberId>,
    /// Whose each request and each heartbeat is that waits: ten thousand connections may close at once.
    tickets: BTreeMap<Ticket, MemberId>,
    /// A protocol that everybody offers, as long as one is known.
    common: Option<Protocol>,
    arrivals: u64,
}

impl Roster {
    /// Takes a member in.
    pub fn insert(&mut self, id: MemberId, member: Member) {
        if let Some(instance) = &member.instance {
            self.instances.insert(instance.clone(), id.clone());
        }
        if self.members.is_empty() {
            self.common = member.protocols.first().map(|offered| offered.name.clone());
        }
        self.tickets.extend(member.tickets().map(|ticket| (ticket, id.clone())));
        self.note_session_end(member.expires);
        self.members.insert(id.clone(), member);
        self.note_offers(&id);
    }

    /// Lets a member's request wait, or nothing of it any more; gives back what of it waited.
    pub fn park(&mut self, id: &MemberId, parked: Parked) -> Parked {
        let Some(member) = self.members.get_mut(id) else { return Parked::Nothing };
        let before = std::mem::replace(&mut member.parked, parked);
        before.ticket().map(|ticket| self.tickets.remove(&ticket));
        self.tickets.extend(parked.ticket().map(|ticket| (ticket, id.clone())));
        before
    }

    /// Lets a member's heartbeat wait, or none of it any more; gives back the one that waited.
    pub fn park_beat(&mut self, id: &MemberId, beat: Option<WaitingBeat>) -> Option<WaitingBeat> {
        let member = self.members.get_mut(id)?;
        let before = std::mem::replace(&mut member.waiting, beat);
        if let Some(beat) = before {
            self.tickets.remove(&beat.ticket());
            self.waits.remove(&(beat.until, id.clone()));
        }
        if let Some(beat) = beat {
            self.tickets.insert(beat.ticket(), id.clone());
            self.waits.insert((beat.until, id.clone()));
        }
        before
    }

    /// Whose request or heartbeat waits under this ticket.
    pub fn waits_under(&self, ticket: Ticket) -> Option<&MemberId> {
        self.tickets.get(&ticket)
    }

    /// Whether whatever waits, and nothing else, is found by its ticket.
    pub fn tickets_fit(&self) -> bool {
        let waiting = || self.members.iter().flat_map(|(id, member)| member.tickets().map(move |ticket| (ticket, id)));
        waiting().count() == self.tickets.len() && waiting().all(|(ticket, id)| self.tickets.get(&ticket) == Some(id))
    }

    /// Notes that what a member offers may be something else now.
    pub fn note_offers(&mut self, id: &MemberId) {
        let offers = |name: &Protocol| self.members.get(id).is_none_or(|member| member.offers(name));
        self.common = self.common.take().filter(offers);
    }

    /// Notes that everybody offers this protocol.
    pub fn note_common(&mut self, protocol: Option<&Protocol>) {
        self.common = protocol.filter(|name| self.members.values().all(|member| member.offers(name))).cloned();
    }

    /// Has these offers name the protocol that everybody offers by everybody's own copy of its name.
    pub fn share_name(&self, offers: &mut Arc<[OfferedProtocol]>) {
        let (Some(common), Some(offers)) = (&self.common, Arc::get_mut(offers)) else { return };
        if let Some(offered) = offers.iter_mut().find(|offered| offered.name == *common) {
            offered.name = common.clone();
        }
    }

    /// Whether these offers are known to fit to everybody's, without a look at each: in a large group whose members all
    /// join again that would be a look at everybody for everybody.
    pub fn is_known_to_fit(&self, offers: &[OfferedProtocol]) -> bool {
        self.common.as_ref().is_some_and(|common| offers.iter().any(|offered| offered.name == *common))
    }

    /// Whether everybody offers the protocol that is known to be common.
    pub fn common_fits(&self) -> bool {
        self.common.as_ref().is_none_or(|common| self.members.values().all(|member| member.offers(common)))
    }

    /// Lets a member go.
    pub fn remove(&mut self, id: &MemberId) -> Option<Member> {
        let member = self.members.remove(id)?;
        if let Some(beat) = &member.waiting {
            self.waits.remove(&(beat.until, id.clone()));
        }
        if let Some(instance) = &member.instance {
            self.instances.remove(instance);
        }
        member.tickets().for_each(|ticket| drop(self.tickets.remove(&ticket)));
        Some(member)
    }

    /// The member of an instance id.
    pub fn holder(&self, instance: &InstanceId) -> Option<&MemberId> {
        self.instances.get(instance)
    }

    /// Whether each static member, and nobody else, is found by its instance id.
    pub fn instances_fit(&self) -> bool {
        let of_members = self.members.iter().filter_map(|(id, member)| Some((member.instance.as_ref()?, id)));
        of_members.clone().count() == self.instances.len()
            && of_members.into_iter().all(|(instance, id)| self.instances.get(instance) == Some(id))
    }

    /// Notes that a session ends then, unless it is renewed.
    pub fn note_session_end(&mut self, at: Timestamp) {
        self.sessions_end = Some(self.sessions_end.map_or(at, |first| first.min(at)));
    }

    /// Before this no session ends.
    pub fn sessions_end(&self) -> Option<Timestamp> {
        self.sessions_end
    }

    /// Looks at all for the first session that ends.
    pub fn find_sessions_end(&mut self) {
        self.sessions_end = self.first_session_end();
    }

    fn first_session_end(&self) -> Option<Timestamp> {
        self.members.values().filter(|member| member.can_expire()).map(|member| member.expires).min()
    }

    /// Whether no session ends before the bound.
    pub fn sessions_fit(&self) -> bool {
        self.first_session_end().is_none_or(|at| self.sessions_end.is_some_and(|bound| bound <= at))
    }

    /// Whether each heartbeat that waits, and nothing else, is found by its time.
    pub fn waits_fit(&self) -> bool {
        let waiting = self.members.iter().filter_map(|(id, member)| Some((member.waiting.as_ref()?.until, id.clone())));
        waiting.collect::<BTreeSet<_>>() == self.waits
    }

    /// The number of the next arrival.
    pub fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    /// Whether everybody's JoinGroup waits.
    pub fn all_joined(&self) -> bool {
        self.members.values().all(Member::has_joined)
    }

    /// The longest rebalance timeout: how long a phase may take.
    pub fn rebalance_timeout(&self) -> Duration {
        self.members.values().map(|member| member.rebalance_timeout).max().unwrap_or_default()
    }

    /// Who arrived first.
    pub fn eldest(&self) -> Option<&MemberId> {
        self.members.iter().min_by_key(|(_, member)| member.arrival).map(|(id, _)| id)
    }
}
