//! `cargo xtask ci`: all that a change must pass, in the order in which failures are cheapest.

use anyhow::{Context, Result};

use crate::clock::Stopwatch;
use crate::shell::{cargo, root, seconds, show};
use crate::{interop, languages, test, tidy};

type Stage = (&'static str, fn() -> Result<()>);

/// The stages. Builds, tests and lints name `--workspace`, so that cargo picks the same features each time and
/// wasmtime is compiled once (and read once more by the lints, which keep no machine code).
const STAGES: &[Stage] = &[
    ("formatting", || show("cargo fmt", &mut cargo(&["fmt", "--all", "--check"]))),
    ("tidy", || tidy::run(&[])),
    ("lints", lints),
    ("tests", || test::run(&[])),
    ("languages", || languages::run(&[])),
    ("interop", || interop::run(&[])),
    ("documentation", || {
        show("cargo doc", cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
    }),
];

/// The workspace, and the fuzz targets beside it, which no other stage would see break. Nothing of them is linked: the
/// fuzzer's own library is not compiled.
fn lints() -> Result<()> {
    show("cargo clippy", &mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-Dwarnings"]))?;
    let fuzz = &["clippy", "--manifest-path", "tests/fuzz/Cargo.toml", "--all-targets", "--", "-Dwarnings"];
    show("cargo clippy of the fuzz targets", cargo(fuzz).env("CUSTOM_LIBFUZZER_PATH", root().join("no-library")))
}

/// Runs every stage, stops at the first that fails, and says how long each took.
pub fn run(_: &[String]) -> Result<()> {
    let whole = Stopwatch::start();
    let mut times = Vec::new();
    for (number, (name, stage)) in STAGES.iter().enumerate() {
        println!("\n#### {}/{} {name} (after {})", number + 1, STAGES.len(), seconds(whole.elapsed()));
        let watch = Stopwatch::start();
        stage().with_context(|| format!("the stage \"{name}\" failed after {}", seconds(watch.elapsed())))?;
        times.push((name, watch.elapsed()));
    }
    println!("\n#### all {} stages passed in {}", STAGES.len(), seconds(whole.elapsed()));
    for (name, time) in times {
        println!("     {name:<14} {:>9}", seconds(time));
    }
    Ok(())
}
