//! When the member says that it is alive, and what else it says with it.

use std::time::Duration;

use super::limits::HEARTBEATS_PER_OFFER;
use super::negotiate::Offer;
use crate::time::Timestamp;

/// The schedule of heartbeats: one at a time, an interval apart, at once when there is something to announce.
#[derive(Debug, Default)]
pub(super) struct Heart {
    due: Timestamp,
    flying: Option<u64>,
    /// When the last one was sent.
    sent: Timestamp,
    /// When the coordinator last confirmed the generation, for all this member knows.
    confirmed: Timestamp,
    /// When the group last did not rebalance, for all this member knows.
    steady: Timestamp,
    news: Option<News>,
    /// How many were sent since the last one that told what can be offered.
    untold: u32,
}

#[derive(Debug)]
struct News {
    offers: Vec<Offer>,
    /// The heartbeat that carries it.
    carrier: Option<u64>,
}

impl Heart {
    /// A generation begins: earlier heartbeats and news are of no interest. The coordinator began to count when it sent its
    /// answer, and SyncGroup need not be a sign of life to it (coordinator.md, the heartbeat timer): until a heartbeat is
    /// answered the answer may have been on its way for as long as `travel`.
    pub(super) fn begin(&mut self, now: Timestamp, interval: Duration, travel: Duration) {
        let since = Timestamp(now.0.saturating_sub(u64::try_from(travel.as_millis()).unwrap_or(u64::MAX)));
        *self = Heart {
            due: now + interval,
            flying: None,
            sent: now,
            confirmed: since,
            steady: since,
            news: None,
            untold: 0,
        };
    }

    /// The coordinator is gone: the next one is told at once.
    pub(super) fn reset(&mut self, now: Timestamp) {
        self.due = now;
        self.flying = None;
        if let Some(news) = &mut self.news {
            news.carrier = None;
        }
    }

    /// To be told with the next heartbeat.
    pub(super) fn announce(&mut self, offers: Vec<Offer>) {
        if self.news.as_ref().is_none_or(|it| it.offers != offers) {
            self.news = Some(News { offers, carrier: None });
        }
    }

    /// Whether it is time to say again what can be offered: an earlier word may have come over a connection that broke, and
    /// have overtaken a later one.
    pub(super) fn is_long_untold(&self) -> bool {
        self.untold >= HEARTBEATS_PER_OFFER
    }

    /// When the next one is due; none while one is on its way.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let urgent = self.news.as_ref().is_some_and(|it| it.carrier.is_none());
        self.flying.is_none().then_some(if urgent { Timestamp(0) } else { self.due })
    }

    /// One is sent; gives back the offers that it has to carry.
    pub(super) fn send(&mut self, ticket: u64, now: Timestamp, interval: Duration) -> Option<Vec<Offer>> {
        self.flying = Some(ticket);
        self.sent = now;
        self.due = now + interval;
        self.untold = if self.news.is_some() { 0 } else { self.untold.saturating_add(1) };
        let news = self.news.as_mut()?;
        news.carrier = Some(ticket);
        Some(news.offers.clone())
    }

    /// One was answered, whatever the answer. Says whether it was the one on its way.
    pub(super) fn land(&mut self, ticket: u64) -> bool {
        let ours = self.flying == Some(ticket);
        if ours {
            self.flying = None;
        }
        ours
    }

    /// The answer confirms the generation as of its heartbeat's sending: it may have been slow on its way back, and the
    /// coordinator's count began before. Gives back the offers that the coordinator now knows.
    pub(super) fn confirm(&mut self, ticket: u64) -> Option<Vec<Offer>> {
        self.confirmed = self.sent;
        let told = self.news.take_if(|it| it.carrier == Some(ticket))?;
        Some(told.offers)
    }

    /// The last heartbeat that was answered met no rebalance.
    pub(super) fn met_no_rebalance(&mut self) {
        self.steady = self.sent;
    }

    /// A state was handed out, so the group did not rebalance when it was asked for. The session need not begin anew with it.
    pub(super) fn was_steady(&mut self, sent: Timestamp) {
        self.steady = self.steady.max(sent);
    }

    /// When the coordinator has given the member up, if it heard nothing more.
    pub(super) fn session_ends(&self, session_timeout: Duration) -> Timestamp {
        self.confirmed.max(self.sent) + session_timeout
    }

    /// Whether the member has been in a generation.
    pub(super) fn has_begun(&self) -> bool {
        self.confirmed > Timestamp::default()
    }

    /// When the coordinator may have given the member up: nobody knows whether it heard what it has not answered.
    pub(super) fn may_be_forgotten(&self, session_timeout: Duration) -> Timestamp {
        self.confirmed + session_timeout
    }

    /// When the member may be out for all it knows: its session is over, or a rebalance that began behind its back has
    /// waited for it long enough.
    pub(super) fn may_be_out(&self, session_timeout: Duration, rebalance_timeout: Duration) -> Timestamp {
        self.may_be_forgotten(session_timeout).min(self.steady + rebalance_timeout)
    }
}
