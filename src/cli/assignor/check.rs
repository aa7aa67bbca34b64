//! `divvy assignor check`: a file of cases, a line each.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::{cases, load};
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, Tone, plain};

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
        let module = load(&self.module)?.map_err(|error| Failure::of(Kind::Failed, error.to_string()))?;
        let mut failed = 0;
        for case in &cases {
            let why = case.check(module.as_ref()).err();
            failed += usize::from(why.is_some());
            output.print(&json!({ "case": case.name, "ok": why.is_none(), "why": why }), || match &why {
                None => format!("{}  {}", output.tone(Tone::Good, "ok    "), plain(&case.name)),
                Some(why) => {
                    format!("{}  {}", output.tone(Tone::Bad, "FAILED"), plain(&format!("{}: {why}", case.name)))
                }
            })?;
        }
        let all = cases.len();
        if !output.is_json() {
            output.line(&format!("{} of {all} cases hold", all - failed))?;
        }
        match failed {
            0 => Ok(()),
            _ => {
                let (module, vectors) = (self.module.display(), self.vectors.display());
                let told = format!("{module}: {failed} of {all} cases of {vectors} fail");
                // A script has read which, and why: a line each, and nothing else.
                let error = Failure::of(Kind::Failed, told);
                Err(Failure::told(std::iter::once(&error)).unwrap_or(error))
            }
        }
    }
}
