//! `cargo xtask interop [CASE]`: unmodified Kafka clients against a `divvy serve` of this tree.
//!
//! A case is an entry of the table `CASES` of its file; a new file is a `mod` line here and a line in [`GROUPS`].

use anyhow::{Context, Result, bail};

use crate::clock::Stopwatch;
use crate::shell::seconds;

mod alone;
mod bench;
mod led;

use bench::Bench;

/// One story: what it is called, and what happens in it.
struct Case {
    name: &'static str,
    run: fn(&Bench) -> Result<()>,
}

/// Every case, in the order in which they run.
const GROUPS: &[&[Case]] = &[alone::CASES, led::CASES];

/// Runs all cases, one (or those whose names begin so), or says which there are.
pub fn run(arguments: &[String]) -> Result<()> {
    let cases: Vec<&Case> = GROUPS.iter().copied().flatten().collect();
    let wanted = arguments.first().map_or("", String::as_str);
    if wanted == "--list" {
        cases.iter().for_each(|case| println!("{}", case.name));
        return Ok(());
    }
    let chosen = choose(&cases, wanted)?;
    let bench = Bench::set_up()?;
    for case in chosen {
        println!("==> interop: {}", case.name);
        let watch = Stopwatch::start();
        (case.run)(&bench).with_context(|| format!("interop case {}", case.name))?;
        println!("    {}: passed in {}", case.name, seconds(watch.elapsed()));
    }
    Ok(())
}

/// The case of that name, else those whose names begin so.
fn choose<'a>(cases: &[&'a Case], wanted: &str) -> Result<Vec<&'a Case>> {
    let named = |fits: &dyn Fn(&str) -> bool| cases.iter().copied().filter(|case| fits(case.name)).collect::<Vec<_>>();
    let exact = named(&|name| name == wanted);
    let chosen = if exact.is_empty() { named(&|name| name.starts_with(wanted)) } else { exact };
    if chosen.is_empty() {
        let names: Vec<&str> = cases.iter().map(|case| case.name).collect();
        bail!("there is no case {wanted}; there are {}", names.join(", "));
    }
    Ok(chosen)
}
