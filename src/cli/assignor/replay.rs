//! `divvy assignor replay`: the same module is asked the same again, and has to say the same.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use super::captured::{self, Strategies};
use crate::assignor::capture::{Capture, Difference, Fault, Identity, Piece, replay};
use crate::cli::failure::{Failure, Kind};
use crate::cli::modules::Modules;
use crate::cli::output::{Output, Tone, plain};

/// Where there is no folder of modules at all.
const ADVICE: &str = "name the folder that holds the recorded module, or the module itself with --module FILE.wasm";

/// So many pieces of a plan are shown; the rest is counted.
const SHOWN_PIECES: usize = 20;

const EXIT_CODES: &str = "\
Exit codes:
  0  every capture was reproduced, byte for byte, or failed in the same way
  1  something differs: which byte, which partition, which member is said
  2  usage: a file is no capture, or damaged, or cannot be read
  4  not found: no such capture, or no module of its digest, or no folder that was named has any captures
What cannot be replayed is said, and the others are; the code is of the worst: 1, then 2, then 4.

What a machine has time and stack for is its own: a recorded fault of kind deadline, stack or busy need not come again.
--module may be another module than the recorded one: `divvy assignor diff` compares their plans, this compares bytes.";

/// Ask captured modules the same again, and say where they differ
#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub struct Replay {
    /// Captures, or folders of them
    #[arg(required = true, value_name = "CAPTURE")]
    captures: Vec<PathBuf>,
    /// The module to ask, instead of the one of the recorded digest
    #[arg(long, value_name = "FILE.wasm", conflicts_with = "folder")]
    module: Option<PathBuf>,
    #[command(flatten)]
    modules: Modules,
}

impl Replay {
    /// Prints a line a capture; done only when all are reproduced.
    pub fn run(self, output: &Output) -> Result<()> {
        let unasked = json!({ "reproduced": null });
        let (files, mut errors) = captured::files_of(&self.captures, &unasked, output)?;
        if files.is_empty() {
            return Failure::ended(&errors, output);
        }
        let mut strategies = Strategies::new()?;
        let named = self.module.as_deref().map(|path| strategies.load(path)).transpose()?;
        let mut skipped: Vec<Skipped<'_>> = Vec::new();
        for path in &files {
            // A file that is damaged is no reason to leave out the others.
            let asked = captured::read(path).and_then(|capture| match &named {
                Some(named) => Ok((capture, named.clone())),
                None => {
                    let asked = strategies.find(&capture.module, || self.modules.folder_for(ADVICE))?;
                    Ok((capture, asked))
                }
            });
            match asked {
                Ok((capture, asked)) => {
                    let found = replay(&capture, asked.strategy());
                    tell(path, &capture, &Identity::of(asked.strategy()), &found, output)?;
                    if !found.is_empty() {
                        errors.push(Failure::of(Kind::Failed, format!("{} is not reproduced", path.display())));
                    }
                }
                Err(error) => {
                    let why = format!("{error:#}");
                    // Its reason is said once at the end, however many share it.
                    captured::skipped_row(path, &why, &unasked, output)?;
                    skip(&mut skipped, path, Failure::kind(&error), why);
                }
            }
        }
        errors.extend(skipped.iter().map(Skipped::error));
        Failure::ended(&errors, output)
    }
}

/// Captures that could not be replayed, for one reason.
struct Skipped<'p> {
    first: &'p Path,
    more: usize,
    kind: Kind,
    why: String,
}

fn skip<'p>(skipped: &mut Vec<Skipped<'p>>, path: &'p Path, kind: Kind, why: String) {
    match skipped.iter_mut().find(|it| it.why == why) {
        Some(known) => known.more += 1,
        None => skipped.push(Skipped { first: path, more: 0, kind, why }),
    }
}

impl Skipped<'_> {
    fn error(&self) -> anyhow::Error {
        let sentence = match self.more {
            0 => captured::named(self.first, &self.why),
            more => format!("{} and {more} more: {}", self.first.display(), self.why),
        };
        Failure::of(self.kind, sentence)
    }
}

fn tell(path: &Path, capture: &Capture, by: &Identity, found: &[Difference], output: &Output) -> Result<()> {
    let document = json!({
        "capture": crate::text::path(path),
        "group": capture.asked.group,
        "generation": capture.asked.generation,
        "protocol": capture.asked.protocol,
        "led_by": capture.led_by,
        "module": capture.module.to_string(),
        "digest": capture.module.digest.map(|it| it.to_string()),
        "by": by.digest.map(|it| it.to_string()),
        "recorded_fault": capture.fault.as_ref().map(|fault| fault.kind.clone()),
        "took_us": capture.took_us,
        "reproduced": found.is_empty(),
        "differences": found.iter().map(document).collect::<Vec<_>>(),
    });
    output.print(&document, || {
        let asked = &capture.asked;
        let ended = capture.fault.as_ref().map(|it| format!(", {} as recorded", it.kind)).filter(|_| found.is_empty());
        let line = plain(&format!(
            "{}: {} generation {} by {by}{}",
            path.display(),
            asked.group,
            asked.generation,
            ended.unwrap_or_default()
        ));
        let mut lines = match found {
            [] => vec![format!("{}  {line}", output.tone(Tone::Good, "same   "))],
            _ => vec![format!("{}  {line}", output.tone(Tone::Bad, "DIFFERS"))],
        };
        lines.extend(found.iter().flat_map(in_words).map(|it| format!("         {}", plain(&it))));
        lines.join("\n")
    })
}

fn document(difference: &Difference) -> Value {
    let kind = |fault: &Option<Fault>| fault.as_ref().map(|it| it.kind.clone());
    match difference {
        Difference::Bytes { of, at, recorded, now } => {
            json!({ "kind": "bytes", "of": of, "at": at, "recorded": recorded, "now": now })
        }
        Difference::Ending { recorded, now } => json!({
            "kind": "ending",
            "recorded": kind(recorded),
            "now": kind(now),
            "message": now.as_ref().or(recorded.as_ref()).map(|it| it.message.clone()),
        }),
        Difference::Plan(pieces) => {
            let piece = |it: &Piece| json!({ "of": it.of, "recorded": it.recorded, "now": it.now });
            json!({ "kind": "plan", "pieces": pieces.iter().map(piece).collect::<Vec<_>>() })
        }
    }
}

fn in_words(difference: &Difference) -> Vec<String> {
    match difference {
        Difference::Bytes { of, at, recorded, now } => {
            vec![format!("the {of} differs from byte {at} on; {recorded} bytes were recorded, there are {now} now")]
        }
        Difference::Ending { recorded, now } => {
            let told = |fault: &Option<Fault>| fault.as_ref().map_or_else(|| "a plan".to_owned(), Fault::to_string);
            let own = recorded.iter().chain(now).any(Fault::is_of_the_machine);
            let hint = if own { " (what a machine has time and stack for is its own)" } else { "" };
            vec![format!("it ended with {}, and ends with {} now{hint}", told(recorded), told(now))]
        }
        Difference::Plan(pieces) => {
            let piece = |it: &Piece| format!("{} was given to {}, and goes to {} now", it.of, it.recorded, it.now);
            let mut lines: Vec<String> = pieces.iter().take(SHOWN_PIECES).map(piece).collect();
            if pieces.len() > SHOWN_PIECES {
                lines.push(format!("and {} more", pieces.len() - SHOWN_PIECES));
            }
            lines
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reason_for_many_captures_is_said_once() {
        let mut skipped = Vec::new();
        for (path, why) in [("a", "no file is x@1"), ("b", "no file is y@1"), ("c", "no file is x@1")] {
            skip(&mut skipped, Path::new(path), Kind::NotFound, why.to_owned());
        }
        let said: Vec<_> = skipped.iter().map(|it| it.error().to_string()).collect();
        assert_eq!(said, ["a and 1 more: no file is x@1", "b: no file is y@1"]);
        let mut skipped = Vec::new();
        skip(&mut skipped, Path::new("z.capture"), Kind::Usage, "z.capture is damaged".to_owned());
        assert_eq!(skipped[0].error().to_string(), "z.capture is damaged");
    }
}
