//! `divvy assignor check`: a file of cases, a line each.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::{cases, load};
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, Tone};

/// Run a file of cases and hold each plan against what it expects.
#[derive(Args, Debug)]
pub struct Check {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    module: PathBuf,
    /// The cases, as in tests/vectors
    #[arg(long, value_name = "CASES.json")]
    vectors: PathBuf,
}

impl Check {
    /// Prints a line a case; done only when all hold.
    pub fn run(self, output: &Output) -> Result<()> {
        let cases = cases(&self.vectors)?;
        if cases.is_empty() {
            let sentence = format!("{} holds no cases: nothing would be checked", self.vectors.display());
            return Err(Failure::of(Kind::Usage, sentence));
        }
        let module = load(&self.module)?.map_err(|error| Failure::of(Kind::Failed, error.to_string()))?;
        let mut failed = 0;
        for case in &cases {
            let outcome = case.check(module.as_ref());
            failed += usize::from(outcome.is_err());
            let why = outcome.err();
            output.print(&json!({ "case": case.name, "ok": why.is_none(), "why": why }), || match &why {
                None => format!("{}  {}", output.tone(Tone::Good, "ok    "), case.name),
                Some(why) => format!("{}  {}: {why}", output.tone(Tone::Bad, "FAILED"), case.name),
            })?;
        }
        match failed {
            0 => Ok(()),
            _ => {
                let (module, all) = (self.module.display(), cases.len());
                Err(Failure::of(
                    Kind::Failed,
                    format!("{module}: {failed} of {all} cases of {} fail", self.vectors.display()),
                ))
            }
        }
    }
}
