//! Running compilers: what they say goes on to stderr as they say it, which is the progress that people see; what is missing is
//! named with the way to get it.

use std::io::ErrorKind;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::cli::failure::{Failure, Kind};
use crate::cli::output::aside;

/// Runs a language's compilers.
pub struct Tools<'a> {
    /// The project, for sentences.
    pub project: &'a str,
}

impl Tools<'_> {
    /// Runs a compiler; its stdout comes back. `remedy` says how to get it when it is not there: `install it with
    /// \`apt-get install clang lld\``.
    pub fn run(&self, command: &mut Command, remedy: &str) -> Result<Vec<u8>> {
        let words = line(command);
        // Its words for people go to stderr, as they are.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let program = command.get_program().to_string_lossy().into_owned();
        let output = command.output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let sentence = format!("{}: there is no `{program}` on the PATH: {remedy}", self.project);
                Failure::of(Kind::NotFound, sentence)
            }
            _ => Failure::of(Kind::Failed, format!("{}: `{program}` cannot be started: {error}", self.project)),
        })?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => {
                let said = String::from_utf8_lossy(&output.stdout);
                if !said.trim().is_empty() && !said.starts_with('{') {
                    aside(said.trim_end());
                }
                let sentence = format!("{}: `{words}` failed ({}); what it said is above", self.project, output.status);
                Err(Failure::of(Kind::Failed, sentence))
            }
        }
    }

    /// What a short command prints, without a word to anybody; none if it failed or is not there.
    pub fn ask(&self, command: &mut Command) -> Option<String> {
        let output = command.stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Says a step for people.
    pub fn say(&self, what: &str) {
        aside(what);
    }
}

/// A command as it would be typed.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_missing_is_named_with_the_way_to_get_it() {
        let tools = Tools { project: "by-size" };
        let error =
            tools.run(&mut Command::new("no-such-compiler"), "install it with `apt-get install it`").unwrap_err();
        let sentence = "by-size: there is no `no-such-compiler` on the PATH: install it with `apt-get install it`";
        assert_eq!((error.to_string().as_str(), Failure::kind(&error)), (sentence, Kind::NotFound));
        assert_eq!(tools.ask(&mut Command::new("no-such-compiler")), None);
    }

    #[test]
    fn a_compiler_that_fails_is_told_as_it_would_be_typed() {
        let error = Tools { project: "by-size" }.run(Command::new("sh").args(["-c", "exit 3"]), "").unwrap_err();
        assert!(error.to_string().starts_with("by-size: `sh -c exit 3` failed (exit status: 3)"), "{error}");
    }
}
