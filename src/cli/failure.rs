//! How a command fails: one sentence with what, where and the way out; an exit code that a script can tell apart; and with
//! `--json` the same as one object on stdout.

use std::fmt;
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde_json::json;

use super::output::{Output, aside, plain};
use crate::assignor::CallError;

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
    /// Another process has the port or the data folder.
    InUse = 5,
}

impl Kind {
    /// What a file that was named on the command line or in a configuration does: it is not there, or it will not do.
    pub fn of_file(is_missing: bool) -> Self {
        if is_missing { Kind::NotFound } else { Kind::Usage }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Failed => "failed",
            Kind::Usage => "usage",
            Kind::Unreachable => "unreachable",
            Kind::NotFound => "not_found",
            Kind::InUse => "in_use",
        }
    }
}

/// As a shell shows a program that its closed pipe ended: 128 + SIGPIPE.
const READER_GONE: u8 = 141;

/// Nobody reads the answer any more. The command ends in good order and says nothing.
#[derive(Debug)]
pub struct ReaderGone;

impl fmt::Display for ReaderGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody reads the answer any more")
    }
}

impl std::error::Error for ReaderGone {}

/// Something failed, and all is said already: what is left is the exit code.
#[derive(Debug)]
struct Told(Kind);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (see above)", self.0.name())
    }
}

impl std::error::Error for Told {}

/// A failure with its kind.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    sentence: String,
    /// What the strategy did, when it is to blame.
    fault: Option<CallError>,
}

impl Failure {
    /// A failure, ready for `?`.
    pub fn of(kind: Kind, sentence: impl Into<String>) -> anyhow::Error {
        Self { kind, sentence: sentence.into(), fault: None }.into()
    }

    /// A strategy that gave no plan.
    pub fn of_strategy(module: impl fmt::Display, error: CallError) -> anyhow::Error {
        let code = error.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
        let sentence = format!("{module}: {}{code}: {}", error.kind.name(), error.message);
        Self { kind: Kind::Failed, sentence, fault: Some(error) }.into()
    }

    /// Whether it was a strategy that gave no plan.
    pub fn is_of_strategy(error: &anyhow::Error) -> bool {
        error.downcast_ref::<Failure>().is_some_and(|failure| failure.fault.is_some())
    }

    /// Says what went wrong, and gives the exit code.
    pub fn report(error: &anyhow::Error, output: &Output) -> ExitCode {
        if error.is::<ReaderGone>() {
            return ExitCode::from(READER_GONE);
        }
        if let Some(Told(kind)) = error.downcast_ref() {
            return ExitCode::from(*kind as u8);
        }
        Self::say_of(error, 0, output);
        aside_error(&format!("{error:#}"));
        ExitCode::from(Self::kind(error) as u8)
    }

    /// Says each of several failures, whose document is printed already; what is left is the worst. That something is
    /// not there is the mildest.
    pub fn told<'a>(errors: impl Iterator<Item = &'a anyhow::Error>) -> Option<anyhow::Error> {
        let worst = Self::worst(errors.inspect(|error| aside_error(&format!("{error:#}"))))?;
        Some(Told(Self::kind(worst)).into())
    }

    /// The same where scripts have read a line for each: the last line is the worst failure.
    pub fn ended(errors: &[anyhow::Error], output: &Output) -> Result<(), anyhow::Error> {
        if let Some(worst) = Self::worst(errors.iter()) {
            Self::say_of(worst, errors.len() - 1, output);
        }
        Self::told(errors.iter()).map_or(Ok(()), Err)
    }

    fn worst<'a>(errors: impl Iterator<Item = &'a anyhow::Error>) -> Option<&'a anyhow::Error> {
        errors.min_by_key(|error| (Self::kind(error) == Kind::NotFound, Self::kind(error) as u8))
    }

    /// What kind of failure it is.
    pub fn kind(error: &anyhow::Error) -> Kind {
        error.downcast_ref::<Failure>().map_or(Kind::Failed, |failure| failure.kind)
    }

    /// What the command line itself refuses; `error` has its own words for people, and `--version` is one to it.
    pub fn report_usage(error: &clap::Error, output: &Output) -> ExitCode {
        if error.kind() == ErrorKind::DisplayVersion && output.is_json() {
            let _ = output.line(&json!({ "version": env!("CARGO_PKG_VERSION") }).to_string());
            return ExitCode::SUCCESS;
        }
        if error.use_stderr() {
            let text = error.render().to_string();
            let sentence = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            Self::say(Kind::Usage.name(), None, sentence, output);
        }
        // A help that nobody reads helps nobody.
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Kind::Usage as u8))
    }

    /// Says one, of so many more.
    fn say_of(error: &anyhow::Error, more: usize, output: &Output) {
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        match error.downcast_ref::<Failure>().and_then(|failure| failure.fault.as_ref()) {
            Some(fault) => {
                Self::say(fault.kind.name(), fault.code.as_deref(), &format!("{}{more}", fault.message), output);
            }
            None => Self::say(Self::kind(error).name(), None, &format!("{error:#}{more}"), output),
        }
    }

    fn say(kind: &str, code: Option<&str>, message: &str, output: &Output) {
        if output.is_json() {
            // Whoever closed stdout has the exit code, and the sentence on stderr.
            let _ = output.line(&json!({ "error": { "kind": kind, "code": code, "message": message } }).to_string());
        }
    }
}

/// A sentence may quote what a peer or a file says; only its own line breaks are kept.
fn aside_error(sentence: &str) {
    aside(&format!("error: {}", sentence.lines().map(plain).collect::<Vec<_>>().join("\n")));
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Failure {}
