//! The leader dies in the middle of a rebalance: before it has joined again, and when everybody waits for its plan.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::Options;
use crate::crew::{Crew, Kind};
use crate::ours::{self, Fate, Manner, Ours};
use crate::report::{Bar, Report};
use crate::site::{self, Site};

const MEMBERS: usize = 5;
const PARTITIONS: usize = 50;

/// Kafka takes no shorter one.
const SESSION: Duration = Duration::from_secs(6);

/// As members of such a session have it: several in one.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// What the group may take beyond the session.
const BEYOND: Duration = Duration::from_secs(1);

/// How leaders die: asked for their work, and so long after they gave it up (they join at once, and plan when all have).
const FATES: [Fate; 4] = [
    Fate::DiesAsked,
    Fate::DiesAfter(Duration::ZERO),
    Fate::DiesAfter(Duration::from_millis(5)),
    Fate::DiesAfter(Duration::from_millis(20)),
];

/// From the death until all others have everything.
pub fn run(_: &Options, report: &mut Report) -> Result<()> {
    report.scenario("failover", &format!("the leader of {MEMBERS} dies in a rebalance, sessions of {SESSION:?}"));
    for site in site::all()? {
        let topic = site.topic("failover", PARTITIONS)?;
        let mut longest: f64 = 0.0;
        for (at, fate) in FATES.into_iter().enumerate() {
            let s = fail_over(&site, &format!("failover-{at}"), &topic, fate).with_context(|| format!("{fate:?}"))?;
            report.note(&format!("stable again after {fate:?}: {}", site.name), s, "s");
            longest = longest.max(s);
        }
        let most = (SESSION + BEYOND).as_secs_f64();
        report.figure(&format!("stable again, longest: {}", site.name), longest, "s", Bar::Most(most));
    }
    Ok(())
}

fn fail_over(site: &Site, group: &str, topic: &str, fate: Fate) -> Result<f64> {
    let usual = Manner::new(&site.address, group, topic, "range");
    let mut crew: Crew<Ours> = ours::crew(Manner { session: SESSION, heartbeat: HEARTBEAT, ..usual })?;
    for at in 0..MEMBERS {
        crew.start(&format!("member-{at}"), None)?;
    }
    crew.settle(MEMBERS, PARTITIONS)?;
    let leader = crew.ledger.leader.clone().context("somebody leads")?;
    crew.kind.doom(&leader, fate)?;
    crew.kind.start("newcomer", None)?;
    crew.until("the leader to die", |ledger| !ledger.members.contains_key(&leader))?;
    let began = Instant::now();
    crew.settle(MEMBERS, PARTITIONS)?;
    Ok(began.elapsed().as_secs_f64())
}
