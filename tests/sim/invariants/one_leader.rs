//! Who leads.

use std::collections::BTreeMap;

use divvy::group::{Effects, Reply, StateName};
use divvy::ids::{Generation, InstanceId, MemberId};
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen};
use crate::calls::Call;

/// The leader of a coordinator-led group: no member.
const COORDINATOR: &str = "divvy";

#[derive(Default)]
pub struct OneLeader {
    /// Whom each generation's answers named, by the name that outlives a static member's ids.
    named: BTreeMap<Generation, String>,
    instances: BTreeMap<MemberId, InstanceId>,
}

impl Invariant for OneLeader {
    fn sentence(&self) -> &'static str {
        "a generation has one leader, and it is one of its members"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        if let Seen::Took(effects) = seen {
            self.learn(effects, scene);
            self.answers(effects, scene)?;
        }
        let Some(group) = scene.group else { return Ok(()) };
        if !matches!(group.summary.state, StateName::AwaitingSync | StateName::Stable) {
            return Ok(());
        }
        match &group.leader {
            Some(leader) if *leader == COORDINATOR => Ok(()),
            Some(leader) if group.members.iter().any(|member| member.id == *leader) => Ok(()),
            leader => Err(format!("generation {} is led by {leader:?}", group.summary.generation)),
        }
    }
}

impl OneLeader {
    /// Which instance an id belongs to.
    fn learn(&mut self, effects: &Effects, scene: &Scene<'_>) {
        for (ticket, reply) in &effects.replies {
            if let (Some(open), Reply::Join(reply)) = (scene.open.get(ticket), reply)
                && let Call::Join(request) = &open.call
                && let Some(instance) = &request.instance
            {
                self.instances.insert(reply.member.clone(), instance.clone());
            }
        }
        for member in scene.group.iter().flat_map(|group| &group.members) {
            if let Some(instance) = &member.instance {
                self.instances.insert(member.id.clone(), instance.clone());
            }
        }
    }

    fn answers(&mut self, effects: &Effects, scene: &Scene<'_>) -> Result<(), String> {
        for (ticket, reply) in &effects.replies {
            let Reply::Join(reply) = reply else { continue };
            if reply.error != ErrorCode::None || !scene.open.contains_key(ticket) {
                continue;
            }
            let leads = reply.leader == reply.member;
            let listed = reply.members.iter().any(|member| member.id == reply.leader);
            if leads && !listed {
                return Err(format!("the leader {} is not on its own list of members", reply.leader));
            }
            if !leads && !reply.members.is_empty() {
                return Err(format!("{} got the list of members, but {} leads", reply.member, reply.leader));
            }
            let lasting = match self.instances.get(&reply.leader) {
                Some(instance) => format!("instance {instance}"),
                None => reply.leader.to_string(),
            };
            let named = self.named.entry(reply.generation).or_insert_with(|| lasting.clone());
            if *named != lasting {
                return Err(format!("generation {} is led by {named} and by {lasting}", reply.generation));
            }
        }
        Ok(())
    }
}
