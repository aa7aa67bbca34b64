//! Why groups rebalance.

use std::collections::{BTreeMap, BTreeSet};

use divvy::group::{Effects, Fact, Reply, Ticket, Trigger};
use divvy::ids::MemberId;
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen};
use crate::calls::Call;

#[derive(Default)]
pub struct CauseNamed {
    /// The request that the coordinator is just taking in, if it is one.
    asked: Option<(Ticket, Call)>,
    /// When each member was last heard, and how long it may be silent.
    heard: BTreeMap<MemberId, (u64, u64)>,
    /// Those that have been told a generation and have not asked for their state.
    unsynced: BTreeSet<MemberId>,
    /// What began the rebalance that is under way.
    under_way: Option<Trigger>,
}

impl Invariant for CauseNamed {
    fn sentence(&self) -> &'static str {
        "no group rebalances without a cause: every generation names what began it, and that did happen"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Asked(ticket, call) => {
                self.hear(call, scene);
                self.asked = Some((*ticket, (*call).clone()));
                Ok(())
            }
            Seen::Took(effects) => {
                let asked = self.asked.take();
                let judged = effects.facts.iter().try_for_each(|fact| self.judge(fact, asked.as_ref(), effects, scene));
                self.told(effects, scene);
                judged
            }
            Seen::Crashed | Seen::Failed | Seen::Read(_) => {
                self.under_way = None;
                self.unsynced.clear();
                // Members that come back from the store get fresh sessions.
                self.heard.values_mut().for_each(|(at, _)| *at = scene.now);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl CauseNamed {
    /// Who asks for its state in the group's generation is not waited for any more.
    fn hear(&mut self, call: &Call, scene: &Scene<'_>) {
        if let Call::Sync(request) = call
            && scene.group.is_some_and(|group| group.summary.generation == request.generation)
        {
            self.unsynced.remove(&request.member);
        }
    }

    /// The coordinator heard whom it answers without a complaint; the end of a wait begins a session, too.
    fn told(&mut self, effects: &Effects, scene: &Scene<'_>) {
        for (ticket, reply) in &effects.replies {
            let Some(open) = scene.open.get(ticket) else { continue };
            let heard = match (&open.call, reply) {
                (Call::Join(request), Reply::Join(reply)) if reply.error == ErrorCode::None => {
                    self.unsynced.insert(reply.member.clone());
                    let session = request.session_timeout.as_millis() as u64;
                    self.heard.insert(reply.member.clone(), (scene.now, session));
                    continue;
                }
                (Call::Sync(_), Reply::Sync(reply)) => reply.error == ErrorCode::None && scene.now > open.at,
                (Call::Heartbeat(_), Reply::Heartbeat(error)) => {
                    matches!(error, ErrorCode::None | ErrorCode::RebalanceInProgress)
                }
                (Call::Commit(_), Reply::Commit(answers)) => answers.iter().all(|it| it.2 == ErrorCode::None),
                _ => false,
            };
            let member = open.call.member().filter(|_| heard);
            if let Some((at, _)) = member.and_then(|member| self.heard.get_mut(member)) {
                *at = open.at.max(*at);
            }
        }
    }

    fn judge(
        &mut self,
        fact: &Fact,
        asked: Option<&(Ticket, Call)>,
        effects: &Effects,
        scene: &Scene<'_>,
    ) -> Result<(), String> {
        match fact {
            Fact::RebalanceBegan(trigger) => {
                self.under_way = Some(trigger.clone());
                if self.happened(trigger, asked.map(|(_, call)| call), effects, scene) {
                    return Ok(());
                }
                Err(format!("a rebalance began because {trigger}, on {asked:?}"))
            }
            Fact::GenerationBegan { generation, trigger, .. } => {
                self.unsynced = scene.group.iter().flat_map(|group| &group.members).map(|it| it.id.clone()).collect();
                match self.under_way.take() {
                    Some(began) if began == *trigger => Ok(()),
                    began => Err(format!("generation {generation} names {trigger:?}, but what began it is {began:?}")),
                }
            }
            _ => Ok(()),
        }
    }

    fn happened(&self, trigger: &Trigger, asked: Option<&Call>, effects: &Effects, scene: &Scene<'_>) -> bool {
        // What waited for the group to be read is taken in all at once.
        let waited = scene.open.values().map(|open| &open.call).filter(|_| asked.is_none());
        let calls: Vec<&Call> = asked.into_iter().chain(waited).collect();
        let joins = |id: &MemberId| calls.iter().any(|call| matches!(call, Call::Join(it) if it.member == *id));
        let removed = |id: &MemberId| {
            effects.facts.iter().any(|fact| matches!(fact, Fact::Removed { member, .. } if member == id))
        };
        let replaced =
            |id: &MemberId| effects.facts.iter().any(|fact| matches!(fact, Fact::Replaced { new, .. } if new == id));
        match trigger {
            Trigger::MemberJoined(id) => {
                effects.facts.iter().any(|fact| matches!(fact, Fact::Joined { member, .. } if member == id))
            }
            // Who takes the place of an earlier process gets its id just now.
            Trigger::MetadataChanged(id) => joins(id) || replaced(id),
            Trigger::LeaderRejoined(id) => joins(id),
            Trigger::MemberLeft(id) => calls.iter().any(|call| matches!(call, Call::Leave(_))) && removed(id),
            Trigger::SessionExpired(id) => {
                let silent = self.heard.get(id).is_none_or(|(at, session)| scene.now >= at + session);
                removed(id) && silent
            }
            Trigger::SyncExpired(id) => removed(id) && self.unsynced.contains(id),
            Trigger::PlanFailed(_) => {
                let brought = matches!(asked, None | Some(Call::Sync(_)));
                brought && effects.facts.iter().any(|fact| matches!(fact, Fact::ModuleFailed { served: false, .. }))
            }
            // Modules are announced by joins and heartbeats, and looked at when a generation becomes stable. The join that
            // need not begin a rebalance by itself is a static member's that takes its own place.
            Trigger::RolledOut(_) | Trigger::Withdrawn(_) | Trigger::Suspended(_) => {
                let replaces = effects.facts.iter().any(|fact| matches!(fact, Fact::Replaced { .. }));
                matches!(asked, None | Some(Call::Heartbeat(_) | Call::Sync(_))) || replaces
            }
            Trigger::Replaced(id) => replaced(id),
            Trigger::OverSize => asked.is_none(),
            // Topics, modules and settings stay as they are in a run, and no strategy asks to be called again.
            Trigger::TopicsChanged(_) | Trigger::GroundChanged(_) | Trigger::SettingsChanged => false,
            Trigger::CallAgain | Trigger::AskedAgain(_) => false,
        }
    }
}
