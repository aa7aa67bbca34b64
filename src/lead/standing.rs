//! Where `divvy lead` stands with its group, and what it does next.
//!
//! ```text
//!   Standby ──elected──► Looking ──described──► In (leads, follows)
//!      ▲                    ▲                     │
//!      └── stood down ──────┴── out of the group ─┘
//! ```
//!
//! Only the elected one is ever in the group: all share one instance id, so whoever comes next takes the place of the one before,
//! and with it the lead, and nobody rebalances.

use std::sync::Arc;
use std::time::Duration;

use super::Described;
use super::compare::wants_something;
use super::names::{Stated, names};
use crate::time::Timestamp;

#[cfg(test)]
mod tests;
mod words;

pub use words::{Action, Event, Join, Joined, Saying};

/// How often a wish to take over is tried: a client may come between, but hardly twice.
const MOST_TRIES: u32 = 3;

/// After a failure it looks again that soon …
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// … doubled up to this: each look is a request or two, and each retaking costs the group a rebalance.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// A lead that was held for so long counts as taken well: the next loss begins to wait anew.
const HELD_WELL: Duration = Duration::from_secs(600);

/// What the operator wants.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Wishes {
    /// The lasting name that all of this group's leads share.
    pub instance: String,
    /// The names to offer; none: every name that may fit.
    pub stated: Vec<Stated>,
    /// Take the lead of a running group.
    pub take_over: bool,
    /// Take it again whenever it was lost.
    pub retake: bool,
    /// Whether it stands for election with others.
    pub elected: bool,
}

/// Where it is.
#[derive(Clone, PartialEq, Debug)]
enum Place {
    Standby,
    Looking,
    LooksAt(Timestamp),
    In(In),
}

/// In the group.
#[derive(Clone, PartialEq, Debug, Default)]
struct In {
    /// Since when it leads; none if it does not, or nobody has said yet.
    leads_since: Option<Timestamp>,
    /// The last generation that was told of.
    generation: Option<i32>,
    /// How often it tried to take over.
    tries: u32,
    /// When it takes the lead again.
    retake_at: Option<Timestamp>,
    /// Whether it asked if the plan in force is what would be decided now, and that plan is still in force.
    reviews: bool,
    /// Whom it said that it follows.
    follows: Option<String>,
}

/// The machine.
#[derive(Clone, Debug)]
pub struct Standing {
    wishes: Wishes,
    place: Place,
    /// How long it waits after the next failure.
    wait: Duration,
    /// Whether the wish to take over is still to be fulfilled.
    wants_lead: bool,
    /// Whether the coordinator draws the leader.
    draws: bool,
    /// Whether it ever led: only then there is something to take again.
    has_led: bool,
    /// Why it got no place in the group when it tried last.
    refused: Option<String>,
    /// Whom it said that it stands by for.
    standby_of: Option<String>,
    now: Timestamp,
    out: Vec<Action>,
}

impl Standing {
    /// It begins with the election, or at once if there is none.
    pub fn new(wishes: Wishes, now: Timestamp) -> Self {
        let wants_lead = wishes.take_over;
        let place = Place::Standby;
        let (wait, draws, has_led, refused, standby_of) = (FIRST_WAIT, false, false, None, None);
        Self { wishes, place, wait, wants_lead, draws, has_led, refused, standby_of, now, out: Vec::new() }
    }

    /// Takes in what happened and says what to do, in order.
    pub fn handle(&mut self, event: Event, now: Timestamp) -> Vec<Action> {
        self.now = now;
        match event {
            Event::Elected => self.elected(),
            Event::StoodDown(active) => self.stood_down(active),
            Event::Looked(answer) => self.looked(answer),
            Event::Joined(joined) => self.joined(joined),
            Event::Reviewed(answer) => self.reviewed(answer),
            Event::Out(reason) => self.is_out(reason),
            Event::Tick => self.tick(),
        }
        std::mem::take(&mut self.out)
    }

    /// Whether it leads the group now.
    pub fn leads(&self) -> bool {
        matches!(&self.place, Place::In(place) if place.leads_since.is_some())
    }

    /// When [`Event::Tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        match &self.place {
            Place::LooksAt(at) => Some(*at),
            Place::In(place) => place.retake_at,
            Place::Standby | Place::Looking => None,
        }
    }

    fn say(&mut self, saying: Saying) {
        self.out.push(Action::Say(saying));
    }

    fn elected(&mut self) {
        if self.place != Place::Standby {
            return;
        }
        if self.wishes.elected {
            self.say(Saying::Active);
        }
        self.look();
    }

    fn look(&mut self) {
        self.place = Place::Looking;
        self.out.push(Action::Look);
    }

    fn stood_down(&mut self, active: String) {
        match std::mem::replace(&mut self.place, Place::Standby) {
            Place::In(_) => {
                self.remember_to_retake();
                self.out.push(Action::Abandon);
            }
            Place::Standby if self.standby_of.as_ref() == Some(&active) => return,
            Place::Standby | Place::Looking | Place::LooksAt(_) => {}
        }
        self.standby_of = Some(active.clone());
        self.say(Saying::Standby { active });
    }

    fn looked(&mut self, answer: Result<Described, String>) {
        if self.place != Place::Looking {
            return;
        }
        let group = match answer {
            Ok(group) => group,
            Err(reason) => {
                let again_in = self.look_later();
                return self.say(Saying::CannotLook { reason, again_in });
            }
        };
        let offered = match names(&group, &self.wishes.stated) {
            Ok(names) => names,
            Err(why) => return self.out.push(Action::Stop(format!("this group cannot be led: {why}"))),
        };
        let before = group.static_member(&self.wishes.instance);
        if before.is_some_and(|member| wants_something(&member.metadata)) {
            return self.out.push(Action::Stop(format!(
                "the name {0} is that of a client of this group, whose place and partitions this would take: give the leads another \
                 one with --instance-id",
                self.wishes.instance
            )));
        }
        let comes_back = before.is_some();
        let is_alone = group.is_empty() || (comes_back && group.members.len() == 1);
        self.draws = group.draws;
        // Who comes back may still lead, and so does who brings a module where those are drawn: it takes over only if it finds
        // that it does not.
        let take_over = self.wants_lead && !comes_back && !is_alone && !group.draws;
        let tries = u32::from(take_over);
        self.say(Saying::Joins {
            names: offered.iter().map(|(name, _)| name.clone()).collect(),
            members: group.members.len(),
            comes_back,
            takes_over: take_over,
        });
        let last_plan = (comes_back && group.is_stable()).then(|| Arc::new(group.states()));
        self.out.push(Action::Join(Join { names: offered, last_plan, take_over }));
        self.place = Place::In(In { tries, ..In::default() });
    }

    fn joined(&mut self, joined: Joined) {
        let Place::In(place) = &mut self.place else { return };
        if place.generation.replace(joined.generation) == Some(joined.generation) {
            return;
        }
        match (place.leads_since, joined.leads) {
            (since, true) => {
                place.leads_since = since.or(Some(self.now));
                (place.retake_at, place.follows) = (None, None);
                place.tries = 0;
                let kept = !joined.planned;
                place.reviews = kept;
                (self.wants_lead, self.has_led) = (false, true);
                if since.is_none() || kept {
                    self.say(Saying::Leads { generation: joined.generation, protocol: joined.protocol, kept });
                }
                if kept {
                    self.out.push(Action::Review);
                }
            }
            (since, false) if joined.leader.is_empty() => self.without_leader(since),
            (None, false) if self.wants_lead && place.tries < MOST_TRIES => self.take_over(),
            (None, false) if self.wants_lead => {
                self.wants_lead = false;
                let retakes_in = self.retake_later();
                self.say(Saying::GaveUp { leader: joined.leader, retakes_in, drawn: self.draws });
            }
            (None, false) if place.follows.as_ref() == Some(&joined.leader) => {}
            (None, false) => {
                place.follows = Some(joined.leader.clone());
                self.say(Saying::Follows { leader: joined.leader, protocol: joined.protocol });
            }
            (Some(since), false) => self.lost(since, joined.leader),
        }
    }

    /// To take over from a broker would be in vain. When the last of its clients is gone somebody leads again.
    fn without_leader(&mut self, since: Option<Timestamp>) {
        if let Some(since) = since {
            self.begin_anew(since);
        }
        self.remember_to_retake();
        let Place::In(place) = &mut self.place else { return };
        (place.leads_since, place.reviews, place.retake_at, place.tries) = (None, false, None, 0);
        if place.follows.replace(String::new()).is_none_or(|it| !it.is_empty()) {
            self.say(Saying::NoLeader { led: since.is_some() });
        }
    }

    fn lost(&mut self, since: Timestamp, leader: String) {
        self.begin_anew(since);
        let retakes_in = self.retake_later();
        if let Place::In(place) = &mut self.place {
            (place.leads_since, place.reviews) = (None, false);
        }
        self.say(Saying::LostLead { leader, retakes_in });
    }

    /// Takes the lead again after a while, if that is wanted.
    fn retake_later(&mut self) -> Option<Duration> {
        let wait = self.wishes.retake.then(|| self.next_wait());
        if let Place::In(place) = &mut self.place {
            place.retake_at = wait.map(|wait| self.now + wait);
        }
        wait
    }

    /// Out of the group the lead is lost as well: whoever is to take it again does so when it is back and does not lead.
    fn remember_to_retake(&mut self) {
        self.wants_lead |= self.wishes.retake && self.has_led;
    }

    fn take_over(&mut self) {
        let Place::In(place) = &mut self.place else { return };
        place.tries += 1;
        place.retake_at = None;
        let attempt = place.tries;
        self.say(Saying::TakesOver { attempt, draws: self.draws });
        self.out.push(Action::TakeOver);
    }

    /// The plan of the process before: topics, settings or module may have changed while nobody looked.
    fn reviewed(&mut self, answer: Result<bool, String>) {
        let Place::In(place) = &mut self.place else { return };
        match answer {
            _ if !std::mem::take(&mut place.reviews) => {}
            Ok(true) => self.out.push(Action::PlanAnew("what its plan was made from changed while nobody led")),
            Ok(false) => self.say(Saying::Confirmed),
            Err(reason) => self.say(Saying::Unreviewed { reason }),
        }
    }

    fn is_out(&mut self, reason: String) {
        let Place::In(place) = &self.place else { return };
        let was_in = place.generation.is_some();
        if let Some(since) = place.leads_since {
            self.begin_anew(since);
        }
        // Who never gets in, twice for the same reason, will not without somebody who changes something.
        if !was_in && self.refused.as_ref() == Some(&reason) {
            return self.out.push(Action::Stop(format!("the group takes no lead from here: {reason}")));
        }
        self.refused = (!was_in).then(|| reason.clone());
        self.remember_to_retake();
        let again_in = self.look_later();
        self.say(Saying::Out { reason, again_in });
    }

    fn tick(&mut self) {
        match &self.place {
            Place::LooksAt(at) if *at <= self.now => self.look(),
            Place::In(place) if place.retake_at.is_some_and(|at| at <= self.now) => {
                self.wants_lead = true;
                self.take_over();
            }
            _ => {}
        }
    }

    /// What was well for long is no row of failures.
    fn begin_anew(&mut self, since: Timestamp) {
        if self.now - since >= HELD_WELL {
            self.wait = FIRST_WAIT;
        }
    }

    fn look_later(&mut self) -> Duration {
        let wait = self.next_wait();
        self.place = Place::LooksAt(self.now + wait);
        wait
    }

    fn next_wait(&mut self) -> Duration {
        let wait = self.wait;
        self.wait = (wait * 2).min(LONGEST_WAIT);
        wait
    }
}
