//! `cargo xtask interop [CASE …]`: unmodified Kafka clients against a `divvy serve` of this tree, and divvy's own members and
//! leads on an Apache Kafka broker.
//!
//! Cases are told by the function `cases` of their file; a new file is a `mod` line here and a line in [`GROUPS`].
//! The clients' side is in `tests/interop`.

use anyhow::{Context, Result, bail};

use crate::clock::Stopwatch;
use crate::shell::seconds;

mod admin;
mod alone;
mod away;
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
mod tools;

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

/// Says how it is used.
const HELP: &str = "cargo xtask interop [CASE …]: runs all cases, or those that are named or whose names begin so

  --list      names the cases
  DIVVY_KEEP  set in the environment, the logs and the files of servers, brokers and members stay";

/// Runs all cases, those that are named (or whose names begin so), or says which there are.
pub fn run(arguments: &[String]) -> Result<()> {
    let cases = all();
    let told = match arguments.first().map(String::as_str) {
        Some("--list") => Some(cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>().join("\n")),
        Some("--help" | "-h") => Some(HELP.to_owned()),
        _ => None,
    };
    if let Some(told) = told {
        println!("{told}");
        return Ok(());
    }
    let chosen = choose(&cases, arguments)?;
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

fn all() -> Vec<Case> {
    GROUPS.iter().flat_map(|cases| cases()).collect()
}

/// Of each word the case of that name, else those whose names begin so, in the order in which cases run; without words all.
fn choose<'a>(cases: &'a [Case], wanted: &[String]) -> Result<Vec<&'a Case>> {
    let mut is_chosen = vec![wanted.is_empty(); cases.len()];
    for word in wanted {
        let is_name = cases.iter().any(|case| case.name == *word);
        let fits = |case: &Case| if is_name { case.name == *word } else { case.name.starts_with(word.as_str()) };
        if !cases.iter().any(fits) {
            let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
            bail!("there is no case {word}; there are {}", names.join(", "));
        }
        is_chosen.iter_mut().zip(cases).for_each(|(is_chosen, case)| *is_chosen |= fits(case));
    }
    Ok(cases.iter().zip(is_chosen).filter_map(|(case, is_chosen)| is_chosen.then_some(case)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &[&str]) -> Result<Vec<String>> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        Ok(choose(&all(), &wanted)?.iter().map(|case| case.name.clone()).collect())
    }

    #[test]
    fn cases_are_chosen_by_name_or_by_how_their_names_begin() {
        assert_eq!(names(&["alone/java"]).unwrap(), ["alone/java"]);
        // The name of one that others begin with: that one alone.
        assert_eq!(names(&["alone/confluent-kafka"]).unwrap(), ["alone/confluent-kafka"]);
        assert_eq!(names(&["readme", "static/java"]).unwrap(), ["static/java", "readme/python", "readme/node"]);
        assert_eq!(names(&[]).unwrap().len(), all().len());
        assert!(names(&["readme", "reedme"]).unwrap_err().to_string().contains("no case reedme; there are alone/"));
    }

    #[test]
    fn no_two_cases_have_one_name() {
        let names: std::collections::BTreeSet<String> = all().into_iter().map(|case| case.name).collect();
        assert_eq!(names.len(), all().len());
    }
}
