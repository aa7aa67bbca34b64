//! A rolling restart of a whole cooperative group, one member after the other: it leaves, the others have its work, and a new one
//! takes its place. A static member is away for a moment only: nobody else gets its work, and its successor has it at once.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::crew::{Crew, HEARTBEAT, Kind};
use crate::ours::{self, Manner};
use crate::report::{Bar, Report};
use crate::site::{self, Site};
use crate::{Options, theirs};

/// The group: all of them are restarted, unless the command line says fewer.
pub const MEMBERS: usize = 50;

/// Shared evenly by all of them, and by one fewer as evenly as can be.
const PARTITIONS: usize = 200;

/// What Java's and librdkafka's members bring under this name, and divvy's module of it.
const STRATEGY: &str = "cooperative-sticky";

/// What a restart of all of them cost.
struct Cost {
    /// Partitions that came to another member than had them last.
    moved: f64,
    /// How long partitions had no owner, added up.
    idle_s: f64,
    /// From the first leave until all are back.
    s: f64,
}

/// divvy's strategy beside the built-ins of the others, on each coordinator.
pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (restarts, heartbeat) = (options.restarts, HEARTBEAT.as_millis());
    let what = format!(
        "{restarts} of {MEMBERS} members restarted, {PARTITIONS} partitions, {STRATEGY}, heartbeats every {heartbeat} ms"
    );
    report.scenario("restart", &what);
    for site in site::all()? {
        let topic = site.topic("restart", PARTITIONS)?;
        let mut least = f64::INFINITY;
        for (kind, words) in theirs::kinds() {
            let mut crew = theirs::crew(kind, &words, &site.address, &format!("restart-{kind}"), &topic)?;
            let cost = restart(&mut crew, options.restarts, false);
            let cost = cost.with_context(|| format!("{kind} on {}; {}", site.name, theirs::log(kind).display()))?;
            tell(report, &site, kind, &cost, Bar::None);
            least = least.min(cost.moved);
        }
        let crew = |group: &str| ours::crew(Manner::new(&site.address, group, &topic, STRATEGY));
        let cost = restart(&mut crew("restart-divvy")?, options.restarts, false).context("divvy's members")?;
        let bar = if least.is_finite() { Bar::Most(least) } else { Bar::None };
        tell(report, &site, "divvy", &cost, bar);
        let cost = restart(&mut crew("restart-static")?, options.restarts, true).context("static members")?;
        tell(report, &site, "divvy, static members", &cost, Bar::Most(0.0));
    }
    Ok(())
}

fn tell(report: &mut Report, site: &Site, kind: &str, cost: &Cost, bar: Bar) {
    let on = site.name;
    report.figure(&format!("partitions moved: {kind} on {on}"), cost.moved, "", bar);
    report.note(&format!("time without owner, all together: {kind} on {on}"), cost.idle_s, "s");
    report.note(&format!("the whole restart: {kind} on {on}"), cost.s, "s");
}

fn restart(crew: &mut Crew<impl Kind>, restarts: usize, is_static: bool) -> Result<Cost> {
    let instance = |at: usize| is_static.then(|| format!("place-{at:02}"));
    for at in 0..MEMBERS {
        crew.start(&format!("old-{at:02}"), instance(at).as_deref())?;
    }
    crew.settle(MEMBERS, PARTITIONS).context("the group forms")?;
    crew.ledger.count_anew();
    let began = Instant::now();
    for at in 0..restarts {
        let old = format!("old-{at:02}");
        match instance(at) {
            // Whoever rebalances fast would else move a share twice that slower ones hand to the newcomer at once.
            None => {
                crew.stop(&old)?;
                crew.settle(MEMBERS - 1, PARTITIONS).with_context(|| format!("{old} left"))?;
            }
            Some(place) => crew.stop_as(&old, &place)?,
        }
        crew.start(&format!("new-{at:02}"), instance(at).as_deref())?;
        crew.settle(MEMBERS, PARTITIONS).with_context(|| format!("after {at} restarts"))?;
    }
    let ledger = &crew.ledger;
    Ok(Cost { moved: ledger.moved as f64, idle_s: ledger.idle_s, s: began.elapsed().as_secs_f64() })
}
