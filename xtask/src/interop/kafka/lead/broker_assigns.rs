//! A client that comes by the protocol in which the broker assigns (KIP-848): the broker makes a led group one of its own, until
//! that client is gone. divvy says so, and looks into no group of that kind.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Cast, Lead};
use crate::interop::member::STEP;
use crate::interop::tools::CONSUMER;
use crate::process::{Process, wait_until};

/// What is told while it is there, and that the lead is back when it is gone.
pub fn is_told(cast: &mut Cast<'_>) -> Result<()> {
    let mut lead = Lead::weighted(cast, "lead", &["--alone"])?;
    lead.event("leads")?;
    let mut consumer = cast.server.tools()?.command(CONSUMER);
    consumer.args(["--topic", &cast.topic, "--group", &cast.group, "--command-property", "group.protocol=consumer"]);
    let mut consumer = Process::start("consumer", &consumer, &cast.folder.join("consumer.log"))?;
    let lost = lead.event("lead_lost")?;
    if lost["broker_assigns"] != true {
        bail!("it is the broker that assigns: {lost}");
    }
    let describe = || {
        let mut divvy = Command::new(cast.program());
        divvy.args(["groups", "describe", &cast.group, "--server", &cast.server.address()]);
        let output = divvy.output().context("divvy does not start")?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((output.status.code() == Some(1) && said.contains("type consumer, KIP-848")).then_some(said))
    };
    let said = wait_until("divvy groups describe to say that the broker assigns", STEP, describe)?;
    println!("    {}", said.trim());
    consumer.signal("TERM")?;
    consumer.end(STEP)?;
    lead.event("leads")?;
    println!("    the client is gone, and divvy leads again");
    match lead.0.interrupt(STEP)?.success() {
        true => Ok(()),
        false => bail!("the lead did not end in good order"),
    }
}
