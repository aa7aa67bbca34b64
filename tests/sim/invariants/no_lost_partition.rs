//! What nobody works on.

use std::collections::{BTreeMap, BTreeSet};

use divvy::embedded::single_writer::Role;
use divvy::group::Reply;
use divvy::group::event::LeaderResult;
use divvy::ids::{Generation, MemberId};
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen, Stands, Works};
use crate::actors::{Partition, Standing, all_work, given};
use crate::calls::Call;

#[derive(Default)]
pub struct NoLostPartition {
    generation: Generation,
    /// What each member of the newest generation was given.
    given: BTreeMap<MemberId, BTreeSet<Partition>>,
    is_of_writers: bool,
    /// The generations whose plan left out a member when it came: a scenario's leader that breaks rules where nobody checks.
    cut: BTreeSet<Generation>,
}

impl Invariant for NoLostPartition {
    fn sentence(&self) -> &'static str {
        "after the faults stop every partition has an owner, and applications work on exactly what was handed out"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Asked(_, Call::Sync(request)) => {
                let group = scene.group.filter(|it| it.leader.as_ref() == Some(&request.member));
                if let (LeaderResult::Plan { states, .. }, Some(group)) = (&request.result, group)
                    && group.summary.generation == request.generation
                    && states.len() < group.members.len()
                {
                    self.cut.insert(request.generation);
                }
                Ok(())
            }
            Seen::Took(effects) => {
                for (ticket, reply) in &effects.replies {
                    if let (Some(open), Reply::Sync(reply)) = (scene.open.get(ticket), reply)
                        && reply.error == ErrorCode::None
                        && let Call::Sync(request) = &open.call
                    {
                        self.is_of_writers = Role::decode(&reply.state).is_ok();
                        self.handed(&request.member, request.generation, given(&reply.state)?);
                    }
                }
                Ok(())
            }
            Seen::Settled { members, works } | Seen::Rested { members, works } => {
                self.judge(members, works, is_stranding(scene))
            }
            _ => Ok(()),
        }
    }
}

/// Kafka's own weakness: a static client that restarts between its JoinGroup and its SyncGroup gets its state without a
/// rebalance, does not know what it brought into the last one, and so never joins without that; it stays withheld until
/// somebody else causes a rebalance.
fn is_stranding(scene: &Scene<'_>) -> bool {
    scene.group.is_some_and(|group| {
        let is_cooperative = group.summary.protocol.as_ref().is_some_and(|it| it.as_str() == "cooperative-sticky");
        is_cooperative && group.members.iter().any(|member| member.instance.is_some())
    })
}

impl NoLostPartition {
    fn handed(&mut self, to: &MemberId, of: Generation, share: BTreeSet<Partition>) {
        if of > self.generation {
            self.generation = of;
            self.given.clear();
        }
        if of == self.generation {
            self.given.insert(to.clone(), share);
        }
    }

    fn judge(&self, members: &[Stands], works: &[Works<'_>], is_stranding: bool) -> Result<(), String> {
        let mut owned = BTreeSet::new();
        let mut are_in = 0;
        for (name, standing) in members {
            let Standing::In { member, .. } = standing else { continue };
            are_in += 1;
            let Some(given) = self.given.get(member) else { return Err(format!("{name} was given nothing")) };
            owned.extend(given.clone());
            if let Some((_, works_on)) = works.iter().find(|(it, _)| it == name)
                && *works_on != given
            {
                return Err(format!("{name} was given {given:?} and works on {works_on:?}"));
            }
        }
        let all = all_work(self.is_of_writers);
        if are_in == 0 || owned == all || is_stranding || self.cut.contains(&self.generation) {
            return Ok(());
        }
        Err(format!("nobody has {:?} in generation {}", all.difference(&owned).collect::<Vec<_>>(), self.generation))
    }
}
