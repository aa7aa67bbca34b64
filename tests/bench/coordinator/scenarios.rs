//! The command line of a measurement that has several scenarios: those that are named are run, or all that are not long.

use std::slice::Iter;

use anyhow::{Context, Result, bail};

use super::report::Report;

pub struct Scenario<O> {
    pub name: &'static str,
    pub run: fn(&O, &mut Report) -> Result<()>,
    /// Only run when it is named: it takes minutes.
    pub is_long: bool,
}

/// Runs them. `set` takes an option and, from the words behind it, its value; it says whether it knows the option.
pub fn run<O>(
    scenarios: &[Scenario<O>],
    arguments: &[String],
    mut options: O,
    set: impl Fn(&mut O, &str, &mut Iter<'_, String>) -> Result<bool>,
) -> Result<()> {
    let (mut named, mut is_json) = (Vec::new(), false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => is_json = true,
            // cargo itself says so.
            "--bench" => {}
            option if set(&mut options, option, &mut words)? => {}
            name => match scenarios.iter().find(|scenario| scenario.name == name) {
                Some(scenario) => named.push(scenario),
                None => {
                    let all: Vec<&str> = scenarios.iter().map(|scenario| scenario.name).collect();
                    bail!("there is no scenario {name:?}; there are {}", all.join(", "));
                }
            },
        }
    }
    if named.is_empty() {
        named.extend(scenarios.iter().filter(|scenario| !scenario.is_long));
    }
    let mut report = Report::new(is_json);
    for scenario in named {
        (scenario.run)(&options, &mut report).with_context(|| format!("scenario {}", scenario.name))?;
    }
    report.bars();
    Ok(())
}
