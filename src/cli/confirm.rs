//! Asks before something is gone for good.

use std::io::{IsTerminal, Write};

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use super::output::plain;

/// Whether to ask.
#[derive(Args, Debug)]
pub struct Confirm {
    /// Do it without asking; needed where nobody is there to answer, as in a script
    #[arg(long, short = 'y')]
    yes: bool,
}

impl Confirm {
    /// Goes on only if somebody agrees. `what` is what would be done, such as "delete group g and its offsets".
    pub fn ask(&self, what: &str) -> Result<()> {
        if self.yes {
            return Ok(());
        }
        if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
            let remedy = "it cannot be undone, and nobody is there to be asked: say --yes";
            return Err(Failure::of(Kind::Usage, format!("this would {what}; {remedy}")));
        }
        let mut stderr = std::io::stderr().lock();
        write!(stderr, "{}? It cannot be undone. [y/N] ", plain(&capital(what)))?;
        stderr.flush()?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(Failure::of(Kind::Failed, "nothing was done: the answer was not yes")),
        }
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
