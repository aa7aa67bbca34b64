//! One partition changes hands: its owner leaves in good order, the one that waits gets it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::Options;
use crate::ours::{self, Manner};
use crate::report::{Bar, Report, median};
use crate::site;

/// Where heartbeats are not held, the one that waits hears of it with its next one.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// What it may take beside.
const MOST_MS: f64 = 50.0;

/// From the leave to the assignment elsewhere.
pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.scenario("handover", &format!("two members, one partition, heartbeats every {HEARTBEAT:?}"));
    for site in site::all()? {
        let topic = site.topic("handover", 1)?;
        let manner = Manner { heartbeat: HEARTBEAT, ..Manner::new(&site.address, "handover", &topic, "range") };
        let mut crew = ours::crew(manner)?;
        crew.start("0", None)?;
        let mut times = Vec::new();
        for at in 1..=options.repeats {
            crew.start(&at.to_string(), None)?;
            crew.until("both to be in, and one to own it", |ledger| ledger.is_settled(2, 1))?;
            // At any moment between two heartbeats of the other.
            std::thread::sleep(HEARTBEAT.mul_f64(0.2 + at as f64 * 0.618 % 1.0));
            let owner = crew.ledger.members.iter().find(|(_, owns)| !owns.is_empty()).map(|(name, _)| name.clone());
            let owner = owner.context("one of the two has it")?;
            let began = Instant::now();
            crew.order_stop(&owner)?;
            crew.until("the other to get it", |ledger| {
                ledger.members.iter().any(|(name, owns)| *name != owner && !owns.is_empty())
            })?;
            times.push(began.elapsed().as_secs_f64() * 1e3);
            crew.until("it to be out", |ledger| !ledger.members.contains_key(&owner))?;
        }
        let most = if site.is_divvy { MOST_MS } else { HEARTBEAT.as_secs_f64() * 1e3 + MOST_MS };
        report.figure(
            &format!("leave to assigned elsewhere, p50: {}", site.name),
            median(&times),
            "ms",
            Bar::Most(most),
        );
        let worst = times.iter().copied().fold(0.0, f64::max);
        report.note(&format!("leave to assigned elsewhere, longest: {}", site.name), worst, "ms");
    }
    Ok(())
}
