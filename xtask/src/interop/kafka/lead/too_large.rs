//! A group whose record is longer than the broker takes: it says so to nobody, so `divvy lead` does.

use anyhow::{Result, ensure};

use super::{Cast, Client, Lead, by_hand, by_weight, join_all, leave_all, owned};

/// The setting, of the broker of that number.
const SETTING: [&str; 2] = ["1", "message.max.bytes"];

/// Room for the record of a group in which the lead is alone, and not for its clients.
const TOO_FEW: &str = "450";

/// It names the setting, and leads on as soon as that is raised.
pub fn is_told(cast: &mut Cast<'_>, clients: &[&'static Client], strategy: &str) -> Result<()> {
    let mut lead = Lead::weighted(cast, "lead", &["--alone"])?;
    lead.event("leads")?;
    by_hand(cast, &[&["set"], &SETTING[..], &[TOO_FEW]].concat())?;
    join_all(cast, clients, strategy)?;
    let told = lead.event("no_plan");
    // All cases share the broker.
    by_hand(cast, &[&["unset"], &SETTING[..]].concat())?;
    let told = told?;
    let reason = told["reason"].as_str().unwrap_or_default();
    ensure!(reason.contains("`message.max.bytes`"), "it should name the setting: {told}");
    println!("    {reason}");
    owned(cast, "shares by weight once there is room", by_weight)?;
    println!("    with room: {}", cast.who_owns_what());
    leave_all(cast)
}
