//! A lead that is lost while it runs, since somebody removed it from the group: its clients go on by themselves.

use anyhow::{Result, bail};

use super::{Cast, Client, Lead, by_hand, by_weight, evenly, join_all, leave_all, owned};
use crate::interop::member::STEP;

/// Says that it is lost, and takes it again only if told to.
pub fn and_taken_again(cast: &mut Cast<'_>, clients: &[&'static Client], strategy: &str) -> Result<()> {
    let mut lead = Lead::weighted(cast, "once", &["--alone"])?;
    lead.event("leads")?;
    join_all(cast, clients, strategy)?;
    owned(cast, "shares by weight", by_weight)?;
    remove_lead(cast)?;
    let lost = lead.event("lead_lost")?;
    if !lost["retakes_in_s"].is_null() {
        bail!("nobody told it to take the lead again: {lost}");
    }
    owned(cast, "the clients' own shares", evenly)?;
    println!("    removed, it says that {} leads: {}", lost["leader"], cast.who_owns_what());
    if !lead.0.interrupt(STEP)?.success() {
        bail!("a lead that has lost the lead should end in good order");
    }

    // Its place is still there, and does not lead: whoever takes it has to take over.
    let mut lead = Lead::weighted(cast, "again", &["--alone", "--take-over", "--yes", "--retake"])?;
    lead.event("takes_over")?;
    lead.event("leads")?;
    owned(cast, "shares by weight again", by_weight)?;
    remove_lead(cast)?;
    let lost = lead.event("lead_lost")?;
    if lost["retakes_in_s"] != 1.0 {
        bail!("it was told to take the lead again: {lost}");
    }
    lead.event("takes_over")?;
    let leads = lead.event("leads")?;
    owned(cast, "shares by weight once more", by_weight)?;
    println!("    lost, and taken again in generation {}: {}", leads["generation"], cast.who_owns_what());
    leave_all(cast)
}

fn remove_lead(cast: &Cast<'_>) -> Result<()> {
    by_hand(cast, &["remove", &cast.group, "divvy-lead"])
}
