//! How a command fails: one sentence with what, where and the way out; and an exit code that a script can tell apart.

use std::fmt;
use std::process::ExitCode;

/// What kind of failure; the numbers are documented in `--help`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It was tried, and the answer is no.
    Failed = 1,
    /// Nothing was tried.
    Usage = 2,
    /// Nobody answers.
    Unreachable = 3,
    /// No such group, topic, file or module.
    NotFound = 4,
    /// Another process has the port.
    InUse = 5,
}

/// A failure with its kind.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    sentence: String,
}

impl Failure {
    /// A failure, ready for `?`.
    pub fn of(kind: Kind, sentence: impl Into<String>) -> anyhow::Error {
        Self { kind, sentence: sentence.into() }.into()
    }

    /// The exit code alone, when everything has been said already.
    pub fn silent(kind: Kind) -> anyhow::Error {
        Self::of(kind, "")
    }

    /// Says what went wrong, and gives the exit code.
    pub fn report(error: &anyhow::Error) -> ExitCode {
        let kind = error.downcast_ref::<Failure>().map_or(Kind::Failed, |failure| failure.kind);
        let sentence = format!("{error:#}");
        if !sentence.is_empty() {
            eprintln!("error: {sentence}");
        }
        ExitCode::from(kind as u8)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Failure {}
