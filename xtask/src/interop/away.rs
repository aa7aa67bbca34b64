//! A coordinator that goes away and comes back: nothing is lost, and nobody rebalances but for a library that asks for it.

use std::time::Duration;

use anyhow::{Result, bail};

use super::cast::{Cast, Settled};
use super::clients::WhenLost;
use super::member::{Member, STEP};
use super::server::Coordinator;
use crate::clock::Stopwatch;
use crate::process::wait_until;

/// What is longer is no moment any more to a library that dials and gives up; a restart of divvy's takes a third of it,
/// on a busy machine more than it.
const MOMENT: Duration = Duration::from_millis(200);

/// The members' session is 30 s, and none need wait longer for who confirms it; a broker on a busy machine starts as slowly.
const MOST_OF_A_SESSION: Duration = Duration::from_secs(20);

/// How the coordinator goes away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Away {
    /// It is asked to stop, and stops in good order.
    Stopped,
    /// `kill -9`.
    Killed,
}

impl Cast<'_> {
    /// The coordinator goes away and comes back, and every generation goes on that no library ends.
    pub fn interrupted(&mut self, how: Away) -> Result<()> {
        let before = self.rest()?;
        self.restart_and_meet(how)?;
        let Some((client, when_lost)) = self.who_asks(&before.0) else {
            self.undisturbed(&before)?;
            println!("    the coordinator was {how:?}: generation {} goes on", before.0.generation);
            return Ok(());
        };
        let after = self.settle()?;
        if after.generation < before.0.generation {
            bail!("generation {} came after {}", after.generation, before.0.generation);
        }
        if when_lost == WhenLost::LeaderRejoins && after.generation > before.0.generation {
            self.joined_again()?;
        }
        println!("    the coordinator was {how:?}: {client} may join again, generation {}", after.generation);
        Ok(())
    }

    /// The coordinator goes away, and comes back with its files at its address.
    pub fn restart(&mut self, how: Away) -> Result<()> {
        let since = Stopwatch::start();
        match how {
            Away::Stopped => self.server.stop()?,
            Away::Killed => self.server.kill()?,
        }
        self.server.restart()?;
        self.away = Some(since.elapsed());
        Ok(())
    }

    /// The same, and every member has found it again: only what is asked of the new process proves that.
    pub fn restart_and_meet(&mut self, how: Away) -> Result<()> {
        let mut reached = Vec::new();
        for member in self.members.iter_mut().filter(|member| !member.client.commits) {
            reached.push(member.reached()?);
        }
        self.restart(how)?;
        self.commit_each()?;
        let silent = self.members.iter_mut().filter(|member| !member.client.commits);
        for (member, before) in silent.zip(reached) {
            let what = format!("{} to find its coordinator again", member.name);
            wait_until(&what, STEP, || Ok((member.reached()? > before).then_some(())))?;
        }
        Ok(())
    }

    /// What a member does, or did, while this coordinator is away.
    pub fn when_lost(&self, member: &Member) -> WhenLost {
        if self.away.is_some_and(|away| away > MOST_OF_A_SESSION) {
            return WhenLost::JoinsAnew;
        }
        let long = match self.server {
            Coordinator::Divvy(_) => self.away.is_some_and(|away| away > MOMENT),
            Coordinator::Kafka(..) => true,
        };
        if long { member.client.when_lost_long } else { member.client.when_lost }
    }

    /// The first of these members whose library may have asked for a rebalance when the coordinator was away.
    pub fn who_asks(&self, before: &Settled) -> Option<(&'static str, WhenLost)> {
        let leads = |member: &Member| member.name == before.leader;
        let asks = |member: &&Member| match self.when_lost(member) {
            WhenLost::Waits => false,
            WhenLost::LeaderRejoins => leads(member),
            WhenLost::Rejoins => leads(member) || says_what_it_owns(&before.protocol),
            WhenLost::RejoinsEmpty | WhenLost::JoinsAnew => true,
        };
        self.members.iter().find(asks).map(|member| (member.client.name, self.when_lost(member)))
    }

    /// The last rebalance was begun by somebody who joined again, and by nothing else; Kafka does not tell.
    fn joined_again(&self) -> Result<()> {
        let Some(trigger) = self.last_trigger()? else { return Ok(()) };
        if !trigger.contains("joined again") {
            bail!("only a member that joins again should have caused a rebalance, and it was: {trigger}");
        }
        Ok(())
    }
}

/// Whether a member's metadata tells what it owns: then joining again says something new, and is a rebalance.
fn says_what_it_owns(strategy: &str) -> bool {
    matches!(strategy, "sticky" | "cooperative-sticky")
}
