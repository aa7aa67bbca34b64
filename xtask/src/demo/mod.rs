//! `cargo xtask demo`: a strategy is rolled out, improved, broken and rolled back, on real processes and files.

use anyhow::Result;

use crate::clock::Stopwatch;
use crate::shell::seconds;
use crate::{divvy, guests, python};

mod stage;
mod story;
mod table;

use stage::Stage;

/// Builds what is needed, then tells the story; ends by itself.
pub fn run(_: &[String]) -> Result<()> {
    let guests = guests::build()?;
    let program = divvy::build()?;
    let python = python::with(&["kafka-python"]);
    let watch = Stopwatch::start();
    let mut stage = Stage::set(program, guests.demo)?;
    if let Err(error) = story::tell(&mut stage, python) {
        eprintln!("\n{}", stage.logs());
        return Err(error.context("the story broke off"));
    }
    println!("\nThe story took {}, and every step did what it says.", seconds(watch.elapsed()));
    Ok(())
}
