//! `cargo xtask interop [CASE]`: unmodified Kafka clients against a `divvy serve` of this tree.
//!
//! Cases are told by the function `cases` of their file; a new file is a `mod` line here and a line in [`GROUPS`].
//! The clients' side is in `tests/interop`.

use anyhow::{Context, Result, bail};

use crate::clock::Stopwatch;
use crate::shell::seconds;

mod admin;
mod alone;
mod bench;
mod cast;
mod clients;
mod coordinator;
mod kafka;
mod led;
mod member;
mod mixed;
mod never_twice;
mod readme;
mod server;
mod statics;
mod takes_turns;

use bench::Bench;
use clients::Runtime;

/// What happens in a case.
type Story = Box<dyn Fn(&Bench) -> Result<()>>;

/// One story: what it is called, what must be on the machine, and what happens.
struct Case {
    name: String,
    needs: Vec<Runtime>,
    run: Story,
}

/// Every file of cases, in the order in which they run.
const GROUPS: &[fn() -> Vec<Case>] = &[
    alone::cases,
    statics::cases,
    mixed::cases,
    led::cases,
    coordinator::cases,
    admin::cases,
    takes_turns::cases,
    kafka::cases,
    readme::cases,
];

/// Runs all cases, one (or those whose names begin so), or says which there are.
pub fn run(arguments: &[String]) -> Result<()> {
    let cases: Vec<Case> = GROUPS.iter().flat_map(|cases| cases()).collect();
    let wanted = arguments.first().map_or("", String::as_str);
    if wanted == "--list" {
        cases.iter().for_each(|case| println!("{}", case.name));
        return Ok(());
    }
    let chosen = choose(&cases, wanted)?;
    let watch = Stopwatch::start();
    let mut needs: Vec<Runtime> = Vec::new();
    for need in chosen.iter().flat_map(|case| &case.needs) {
        if !needs.contains(need) {
            needs.push(*need);
        }
    }
    let bench = Bench::set_up(&needs)?;
    println!("    set up in {}", seconds(watch.elapsed()));
    let watch = Stopwatch::start();
    for case in &chosen {
        println!("==> interop: {}", case.name);
        let watch = Stopwatch::start();
        (case.run)(&bench).with_context(|| format!("interop case {}", case.name))?;
        println!("    {}: passed in {}", case.name, seconds(watch.elapsed()));
    }
    println!("    {} cases passed in {}", chosen.len(), seconds(watch.elapsed()));
    Ok(())
}

/// The case of that name, else those whose names begin so.
fn choose<'a>(cases: &'a [Case], wanted: &str) -> Result<Vec<&'a Case>> {
    let named = |fits: &dyn Fn(&str) -> bool| cases.iter().filter(|case| fits(&case.name)).collect::<Vec<_>>();
    let exact = named(&|name| name == wanted);
    let chosen = if exact.is_empty() { named(&|name| name.starts_with(wanted)) } else { exact };
    if chosen.is_empty() {
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        bail!("there is no case {wanted}; there are {}", names.join(", "));
    }
    Ok(chosen)
}
