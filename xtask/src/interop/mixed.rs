//! Every library that brings a strategy, in one group of that strategy, each of them leading it for a while.

use anyhow::{Result, bail};

use super::Case;
use super::alone::interrupted;
use super::bench::Bench;
use super::cast::{Away, Cast};
use super::clients::Client;
use super::member::Seat;

const STRATEGIES: [&str; 4] = ["range", "roundrobin", "sticky", "cooperative-sticky"];

/// The cases.
pub fn cases() -> Vec<Case> {
    STRATEGIES
        .map(|strategy| Case {
            name: format!("mixed/{strategy}"),
            needs: Client::with(strategy).iter().map(|client| client.runtime).collect(),
            run: Box::new(move |bench| mixed(bench, strategy)),
        })
        .into()
}

fn mixed(bench: &Bench, strategy: &'static str) -> Result<()> {
    Cast::play(bench, &format!("mixed-{strategy}"), "", |cast| {
        for client in Client::with(strategy) {
            cast.join(&Seat { name: client.name, client, strategy, instance: None })?;
        }
        let settled = cast.settle()?;
        if settled.protocol != strategy {
            bail!("{} members have {strategy} in common, and the group runs {}", cast.members.len(), settled.protocol);
        }
        println!("    {} members: {}", cast.members.len(), cast.who_owns_what());
        interrupted(cast, Away::Killed)?;
        let leaders = each_leads(cast)?;
        println!("    each led in turn: {}", leaders.join(", "));
        Ok(())
    })
}

/// The leader leaves until nobody is left: so each leads once, and plans for the others.
fn each_leads(cast: &mut Cast<'_>) -> Result<Vec<String>> {
    let half = cast.members.len() / 2;
    let mut leaders = Vec::new();
    while !cast.members.is_empty() {
        let leader = cast.settle()?.leader;
        if cast.members.len() == half {
            interrupted(cast, Away::Stopped)?;
        }
        cast.leave(&leader)?;
        leaders.push(leader);
    }
    Ok(leaders)
}
