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
use super::names::{Stated, names};
use crate::ids::{Mode, Protocol};
use crate::membership::lead::LastPlan;
use crate::time::Timestamp;

#[cfg(test)]
mod tests;

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

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// It is the one to lead.
    Elected,
    /// Another one is; nobody while that is empty.
    StoodDown(String),
    /// The coordinator described the group, or why not.
    Looked(Result<Described, String>),
    /// It is in a generation of the group.
    Joined(Joined),
    /// Whether a plan made now would be another one than the one in force; or why nobody knows.
    Reviewed(Result<bool, String>),
    /// It is out of the group.
    Out(String),
    /// Time has passed.
    Tick,
}

/// A generation.
#[derive(Clone, PartialEq, Debug)]
pub struct Joined {
    /// Its number.
    pub generation: i32,
    /// The name that the group chose.
    pub protocol: Protocol,
    /// Whether this one leads it.
    pub leads: bool,
    /// Who leads it.
    pub leader: String,
    /// Whether this one made its plan; who takes its own place again has not.
    pub planned: bool,
}

/// What to do.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Ask the coordinator to describe the group: answered by [`Event::Looked`].
    Look,
    /// Join the group.
    Join(Join),
    /// Remove everybody else and join in front of them.
    TakeOver,
    /// Compare the plan in force with what would be decided now: answered by [`Event::Reviewed`].
    Review,
    /// Join again for a new plan.
    PlanAnew(&'static str),
    /// Be no member any more, without a word: another one has the place.
    Abandon,
    /// Tell people.
    Say(Saying),
    /// End, and say why.
    Stop(String),
}

/// How to join.
#[derive(Clone, PartialEq, Debug)]
pub struct Join {
    /// What to offer.
    pub names: Vec<(Protocol, Mode)>,
    /// The plan in force, if this one's predecessor may have made it.
    pub last_plan: Option<LastPlan>,
    /// Whether to remove everybody who is there.
    pub take_over: bool,
}

/// News.
#[derive(Clone, PartialEq, Debug)]
pub enum Saying {
    /// It waits until the active one is gone.
    Standby {
        /// Who is active; nobody while it is empty.
        active: String,
    },
    /// It is elected.
    Active,
    /// It joins.
    Joins {
        /// What it offers.
        names: Vec<Protocol>,
        /// How many are in the group.
        members: usize,
        /// Whether it is there already, under the same lasting name.
        comes_back: bool,
        /// Whether everybody else is removed first.
        takes_over: bool,
    },
    /// It leads.
    Leads {
        /// The generation.
        generation: i32,
        /// The name that the group chose.
        protocol: Protocol,
        /// Whether the plan of the process before goes on.
        kept: bool,
    },
    /// It does not lead.
    Follows {
        /// Who does.
        leader: String,
        /// The name that the group chose.
        protocol: Protocol,
    },
    /// It led, and another one does now.
    LostLead {
        /// Who.
        leader: String,
        /// Whether it takes the lead again, and when.
        retakes_in: Option<Duration>,
    },
    /// It takes the lead of the running group.
    TakesOver {
        /// Which try this is.
        attempt: u32,
    },
    /// It could not take the lead: others were quicker each time.
    GaveUp {
        /// Who leads.
        leader: String,
    },
    /// The plan in force is what would be decided now.
    Confirmed,
    /// Nobody knows whether it is.
    Unreviewed {
        /// Why.
        reason: String,
    },
    /// The group cannot be looked at.
    CannotLook {
        /// Why.
        reason: String,
        /// When it is tried again.
        again_in: Duration,
    },
    /// It is out of the group.
    Out {
        /// Why.
        reason: String,
        /// When it looks again.
        again_in: Duration,
    },
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
}

/// The machine.
#[derive(Debug)]
pub struct Standing {
    wishes: Wishes,
    place: Place,
    /// How long it waits after the next failure.
    wait: Duration,
    /// Whether the wish to take over is still to be fulfilled.
    wants_lead: bool,
    now: Timestamp,
    out: Vec<Action>,
}

impl Standing {
    /// It begins with the election, or at once if there is none.
    pub fn new(wishes: Wishes, now: Timestamp) -> Self {
        let wants_lead = wishes.take_over;
        Self { wishes, place: Place::Standby, wait: FIRST_WAIT, wants_lead, now, out: Vec::new() }
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
        if matches!(std::mem::replace(&mut self.place, Place::Standby), Place::In(_)) {
            self.out.push(Action::Abandon);
        }
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
        let comes_back = group.static_member(&self.wishes.instance).is_some();
        let is_alone = group.is_empty() || (comes_back && group.members.len() == 1);
        // Who comes back may still lead; it takes over only if it finds that it does not.
        let take_over = self.wants_lead && !comes_back && !is_alone;
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
                place.retake_at = None;
                place.tries = 0;
                self.wants_lead = false;
                let kept = !joined.planned;
                if since.is_none() || kept {
                    self.say(Saying::Leads { generation: joined.generation, protocol: joined.protocol, kept });
                }
                if kept {
                    self.out.push(Action::Review);
                }
            }
            (None, false) if self.wants_lead && place.tries < MOST_TRIES => self.take_over(),
            (None, false) if self.wants_lead => {
                self.wants_lead = false;
                self.say(Saying::GaveUp { leader: joined.leader });
            }
            (None, false) => self.say(Saying::Follows { leader: joined.leader, protocol: joined.protocol }),
            (Some(since), false) => self.lost(since, joined.leader),
        }
    }

    fn lost(&mut self, since: Timestamp, leader: String) {
        if self.now - since >= HELD_WELL {
            self.wait = FIRST_WAIT;
        }
        let retakes_in = self.wishes.retake.then(|| self.next_wait());
        if let Place::In(place) = &mut self.place {
            place.leads_since = None;
            place.retake_at = retakes_in.map(|wait| self.now + wait);
        }
        self.say(Saying::LostLead { leader, retakes_in });
    }

    fn take_over(&mut self) {
        let Place::In(place) = &mut self.place else { return };
        place.tries += 1;
        place.retake_at = None;
        let attempt = place.tries;
        self.say(Saying::TakesOver { attempt });
        self.out.push(Action::TakeOver);
    }

    /// The plan of the process before: topics, settings or module may have changed while nobody looked.
    fn reviewed(&mut self, answer: Result<bool, String>) {
        let leads = matches!(&self.place, Place::In(place) if place.leads_since.is_some());
        match answer {
            _ if !leads => {}
            Ok(true) => self.out.push(Action::PlanAnew("what its plan was made from changed while nobody led")),
            Ok(false) => self.say(Saying::Confirmed),
            Err(reason) => self.say(Saying::Unreviewed { reason }),
        }
    }

    fn is_out(&mut self, reason: String) {
        if !matches!(self.place, Place::In(_)) {
            return;
        }
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
