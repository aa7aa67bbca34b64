//! What nobody works on.

use std::collections::{BTreeMap, BTreeSet};

use divvy::embedded::single_writer::Role;
use divvy::group::event::LeaderResult;
use divvy::group::{Fact, Reply};
use divvy::ids::{Generation, MemberId};
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen, Stands, Works};
use crate::actors::{Partition, Standing, all_work, given, said_to_own, said_to_read};
use crate::calls::Call;

/// The protocol under which clients keep what they have while they join.
const COOPERATIVE: &str = "cooperative-sticky";

#[derive(Default)]
pub struct NoLostPartition {
    generation: Generation,
    /// What each member of the newest generation was given.
    given: BTreeMap<MemberId, BTreeSet<Partition>>,
    is_of_writers: bool,
    /// The generations whose plan left out a member when it came: a scenario's leader that breaks rules where nobody checks.
    cut: BTreeSet<Generation>,
    /// What each member said that it owns when it last joined.
    brought: BTreeMap<MemberId, BTreeSet<Partition>>,
    /// The topics that each static member reads, as it last said; all others read all.
    reads: BTreeMap<MemberId, BTreeSet<String>>,
    /// What members brought into the newest generation whose place another process took in it: see [`Self::note`].
    replaced: BTreeSet<Partition>,
}

impl Invariant for NoLostPartition {
    fn sentence(&self) -> &'static str {
        "after the faults stop every partition that somebody reads has an owner, nobody has what it does not read, and applications work on exactly what was handed out"
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
            Seen::Asked(_, Call::Join(request)) => {
                let offered = request.protocols.iter().find(|it| it.name == COOPERATIVE);
                let owned = offered.map(|it| said_to_own(&it.metadata)).unwrap_or_default();
                self.brought.insert(request.member.clone(), owned);
                Ok(())
            }
            Seen::Took(effects) => {
                for fact in &effects.facts {
                    self.note(fact);
                }
                for (ticket, reply) in &effects.replies {
                    if let (Some(open), Reply::Join(reply)) = (scene.open.get(ticket), reply)
                        && let (ErrorCode::None, Call::Join(request)) = (reply.error, &open.call)
                    {
                        let said = request.protocols.first().filter(|_| request.instance.is_some());
                        let reads = said.map(|it| (reply.member.clone(), said_to_read(&it.metadata)));
                        self.reads.extend(reads);
                    }
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
            Seen::Settled { members, works } | Seen::Rested { members, works } => self.judge(members, works),
            _ => Ok(()),
        }
    }
}

impl NoLostPartition {
    /// Kafka's own weakness: a static client brings a partition into a cooperative generation, the plan withholds it so that it
    /// is given up first, and the process restarts before it has joined again without it. Its successor gets its state
    /// without a rebalance (KIP-345), knows of nothing to give up, and joins no second time: the partition is nobody's
    /// until somebody else causes a rebalance.
    fn note(&mut self, fact: &Fact) {
        match fact {
            Fact::GenerationBegan { .. } => self.replaced.clear(),
            Fact::Replaced { old, .. } => self.replaced.extend(self.brought.remove(old).unwrap_or_default()),
            _ => {}
        }
    }

    fn handed(&mut self, to: &MemberId, of: Generation, share: BTreeSet<Partition>) {
        if of > self.generation {
            self.generation = of;
            self.given.clear();
        }
        if of == self.generation {
            self.given.insert(to.clone(), share);
        }
    }

    fn judge(&self, members: &[Stands], works: &[Works<'_>]) -> Result<(), String> {
        let (mut owned, mut wanted) = (BTreeSet::new(), BTreeSet::new());
        let (mut are_in, mut somebody_reads_all) = (0, false);
        for (name, standing) in members {
            let Standing::In { member, .. } = standing else { continue };
            are_in += 1;
            let Some(given) = self.given.get(member) else { return Err(format!("{name} was given nothing")) };
            owned.extend(given.clone());
            let reads = self.reads.get(member);
            somebody_reads_all |= reads.is_none();
            wanted.extend(reads.into_iter().flatten());
            if let Some(other) = given.iter().find(|(topic, _)| reads.is_some_and(|reads| !reads.contains(topic))) {
                return Err(format!("{name} was given {other:?}, and reads {reads:?}"));
            }
            if let Some((_, works_on)) = works.iter().find(|(it, _)| it == name)
                && *works_on != given
            {
                return Err(format!("{name} was given {given:?} and works on {works_on:?}"));
            }
        }
        let all = all_work(self.is_of_writers);
        let is_wanted = |(topic, _): &Partition| somebody_reads_all || wanted.contains(topic);
        let lost = all.difference(&owned).filter(|it| is_wanted(it) && !self.replaced.contains(*it));
        let lost: Vec<_> = lost.collect();
        if are_in == 0 || lost.is_empty() || self.cut.contains(&self.generation) {
            return Ok(());
        }
        Err(format!("nobody has {lost:?} in generation {}", self.generation))
    }
}
