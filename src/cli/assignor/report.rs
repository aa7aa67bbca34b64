//! What was looked at, a line each: `ok` or `FAILED`, its name, and what was found or what is wrong.

use anyhow::Result;
use serde_json::json;

use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, Tone, plain};

/// The column in which what was found begins.
const NAME_WIDTH: usize = 18;

/// Lines so far.
pub struct Report<'a> {
    output: &'a Output,
    all: usize,
    failed: usize,
}

impl<'a> Report<'a> {
    /// Nothing was looked at yet.
    pub fn new(output: &'a Output) -> Self {
        Self { output, all: 0, failed: 0 }
    }

    /// Something that every module has: what was found, or what is wrong.
    pub fn check(&mut self, name: &str, found: Result<String, String>) -> Result<()> {
        let (ok, text) = (found.is_ok(), found.unwrap_or_else(|why| why));
        let value = match ok {
            true => json!({ "check": name, "ok": ok, "found": text }),
            false => json!({ "check": name, "ok": ok, "why": text }),
        };
        self.line(ok, &value, &format!("{name:<NAME_WIDTH$} {text}"))
    }

    /// A case of a file: its name, and what differs if it does not hold.
    pub fn case(&mut self, name: &str, held: Result<(), String>) -> Result<()> {
        let why = held.err();
        let text = why.as_ref().map_or_else(|| name.to_owned(), |why| format!("{name}: {why}"));
        self.line(why.is_none(), &json!({ "case": name, "ok": why.is_none(), "why": why }), &text)
    }

    /// A line with a document of its own.
    pub fn line(&mut self, ok: bool, value: &serde_json::Value, text: &str) -> Result<()> {
        self.all += 1;
        self.failed += usize::from(!ok);
        let (tone, word) = if ok { (Tone::Good, "ok    ") } else { (Tone::Bad, "FAILED") };
        self.output.print(value, || format!("{}  {}", self.output.tone(tone, word), plain(text)))
    }

    /// How many lines failed.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// Done only if nothing failed; `named` is what was looked at.
    pub fn end(self, named: &str) -> Result<()> {
        if self.failed == 0 {
            return Ok(());
        }
        // A script has read which, and why, a line each: the last one says how many.
        let error = Failure::of(Kind::Failed, format!("{named}: {} of {} fail", self.failed, self.all));
        Failure::ended(&[error], self.output)
    }
}
