//! The life of `divvy run`: what the member is told becomes events of [`Children`], and what these want is done.

use std::time::Duration;

use anyhow::Result;

use super::children::{Action, Children, Event, News, Why};
use super::printer::Printer;
use super::process::Processes;
use super::say;
use super::work::{Division, Key, keys, orders};
use crate::cli::clock;
use crate::cli::failure::{Failure, Kind};
use crate::cli::member::{ended, events, leave};
use crate::cli::output::plain;
use crate::cli::signals::Stop;
use crate::client::{Ending, Member, Rebalance, Revoked};

/// What of the command line a life needs.
pub(super) struct Names {
    /// The group.
    pub(super) group: String,
    /// The protocol type.
    pub(super) protocol_type: String,
    /// How a child that has the member's whole share is called.
    pub(super) member: String,
    /// The lasting name, if it has one.
    pub(super) instance: Option<String>,
    /// For how long its place is kept under that.
    pub(super) session: Duration,
    /// How the share is divided.
    pub(super) division: Division,
}

/// One member and its children.
pub(super) struct Life {
    pub(super) names: Names,
    pub(super) children: Children,
    pub(super) processes: Processes,
    pub(super) printer: Printer,
    /// Answered when the children that had it have ended.
    pub(super) revoked: Vec<Revoked>,
}

/// How the member's time in its group ended, for the exit code.
enum End {
    Left(Why),
    /// What it says cannot be written.
    Unwritten(anyhow::Error),
}

impl Life {
    /// Goes on until the member is to leave and no child is left; leaves.
    pub(super) async fn live(mut self, mut member: Member, mut stop: Stop) -> Result<()> {
        let end = self.until_the_end(&mut member, &mut stop).await;
        if matches!(end, End::Left(Why::Failing(_))) && self.names.instance.is_some() {
            tokio::select! {
                () = hand_over(&mut member) => {}
                () = stop.wished() => {}
            }
        }
        let ending = leave(member, &mut stop).await;
        match end {
            End::Unwritten(why) => Err(why),
            End::Left(Why::Asked) => {
                let said = ended(self.names.instance.as_deref(), ending.as_ref(), self.names.session);
                self.printer.say(said.event, plain(&said.text));
                Ok(())
            }
            End::Left(Why::Out(reason)) => {
                Err(Failure::of(Kind::Failed, format!("the member is out of the group: {reason}")))
            }
            End::Left(Why::Failing(reason)) => {
                let goes = match ending {
                    Some(Ending::Left | Ending::Outside) => "has left the group",
                    _ => "has ended, and others get its work when its session ends",
                };
                Err(Failure::of(Kind::Failed, format!("the member {goes}: {reason}")))
            }
        }
    }

    async fn until_the_end(&mut self, member: &mut Member, stop: &mut Stop) -> End {
        let (mut out, mut unwritten) = (None, None);
        let mut is_in = true;
        loop {
            // In the order of what cannot wait. Every event lets the machine do what is due, so that none starves the clock.
            let event = tokio::select! {
                biased;
                () = stop.wished() => Event::Stop,
                news = member.next(), if is_in => match news {
                    Some(news) => self.take_in(news, &mut out),
                    None => {
                        is_in = false;
                        Event::Out(out.take().unwrap_or_else(|| "it was ended".to_owned()))
                    }
                },
                why = self.printer.unwritten(), if unwritten.is_none() => {
                    unwritten = Some(why);
                    Event::Stop
                }
                event = self.processes.next() => event,
                () = clock::until(self.children.next_deadline()) => Event::Tick,
            };
            for action in self.children.handle(event, clock::now()) {
                if let Some(why) = self.perform(action) {
                    return unwritten.map_or(End::Left(why), End::Unwritten);
                }
            }
        }
    }

    /// Says what the member was told, and translates it.
    fn take_in(&mut self, news: Rebalance, out: &mut Option<String>) -> Event {
        let protocol_type = &self.names.protocol_type;
        let text = plain(&events::text(&news, protocol_type));
        self.printer.say(events::json(&news, protocol_type), text);
        let division = self.names.division;
        match news {
            Rebalance::Assigned(assigned) => Event::Assigned(orders(&self.names.group, &assigned, division)),
            Rebalance::Revoked(work) => {
                let keys = keys(work.share(), division);
                self.revoked.push(work);
                Event::Revoked(keys)
            }
            Rebalance::Lost { share, .. } => {
                self.revoked.clear();
                Event::Lost(keys(&share, division))
            }
            Rebalance::Failed { reason } => {
                *out = Some(reason);
                Event::Tick
            }
            Rebalance::Drained | Rebalance::Note(_) => Event::Tick,
        }
    }

    fn perform(&mut self, action: Action) -> Option<Why> {
        match action {
            Action::Start(id, order) => {
                let name = self.name(&order.key);
                self.processes.start(id, &order, &name);
            }
            Action::Drain(id) => self.processes.drain(id),
            Action::Kill(id) => self.processes.kill(id),
            // Dropping says that it is given up.
            Action::HandOver => self.revoked.clear(),
            Action::Leave(why) => return Some(why),
            Action::Tell(key, news) => self.tell(&key, &news),
        }
        None
    }

    fn tell(&self, key: &Key, news: &News) {
        let name = self.name(key);
        self.printer.say(say::json(&name, news), plain(&say::text(&say::of(key), news)));
    }

    fn name(&self, key: &Key) -> String {
        match key {
            Key::Member => self.names.member.clone(),
            partition => partition.to_string(),
        }
    }
}

/// Leaves also under a lasting name: whoever cannot do the work would keep it from the others until its session ends.
async fn hand_over(member: &mut Member) {
    member.drain();
    // No child is left, so that what is asked for is given up by being dropped.
    while let Some(news) = member.next().await {
        if matches!(news, Rebalance::Drained) {
            break;
        }
    }
}
