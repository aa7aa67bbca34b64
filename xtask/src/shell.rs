//! How commands are run: what is done is said first, how long it took after; a quiet command's output is shown when it fails.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::clock::Stopwatch;

/// How much of a failed command's output is shown: the end, where the reason stands.
const SHOWN_LINES: usize = 40;

/// The repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the repository").to_owned()
}

/// Where what is built lies: `$CARGO_TARGET_DIR`, or `target/`.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The cargo that runs us, with the arguments, in the repository. What it told us of our own package is not for what it
/// builds now: `ring` watches these words, and would be built again, and all above it, whenever they change.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command whose output people want to see, under a heading.
pub fn show(heading: &str, command: &mut Command) -> Result<()> {
    println!("==> {heading}");
    let watch = Stopwatch::start();
    let status = command.status().with_context(|| cannot_start(command))?;
    if !status.success() {
        bail!("{heading}: `{}` failed ({status})", line(command));
    }
    println!("    {heading}: done in {}", seconds(watch.elapsed()));
    Ok(())
}

/// Runs a command whose output only matters when it fails; gives back what it printed.
pub fn quiet(heading: &str, command: &mut Command) -> Result<String> {
    let watch = Stopwatch::start();
    let bar = waiting(heading);
    let output = command.output().with_context(|| cannot_start(command));
    bar.finish_and_clear();
    let output = output?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let complaint = format!("{said}{}", String::from_utf8_lossy(&output.stderr));
        bail!("`{}` failed ({}):\n{}", line(command), output.status, tail(&complaint));
    }
    println!("    {heading}: done in {}", seconds(watch.elapsed()));
    Ok(said)
}

/// What a short command prints, without a word to the user; none if it failed or is not there.
pub fn ask(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The last lines of a text.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}

/// `3.2 s`.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A spinner on a terminal; a plain line where nobody can see one turn.
fn waiting(heading: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        println!("    {heading} …");
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("    {spinner} {msg} ({elapsed})").expect("the template is written here");
    let bar = ProgressBar::new_spinner().with_style(style).with_message(heading.to_owned());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command) -> String {
    format!("`{}` could not be started", command.get_program().to_string_lossy())
}
