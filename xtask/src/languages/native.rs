//! The tests that an SDK has in its own language, run on this machine: reader, writer and rules with the language's own tools, and
//! the requests of `tests/abi` by the reference strategies without a sandbox around them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Tools;
use crate::node::Node;
use crate::shell::{quiet, root, target};

/// Sanitizers see what a module's own memory hides: a byte too many, a number that does not fit.
const SANITIZED: [&str; 9] = [
    "-std=c11",
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-Wall",
    "-Wextra",
    "-Werror",
];

/// Each file of `c/tests` is a program.
pub fn c(_: &Tools) -> Result<()> {
    let tests = sdk("c").join("tests");
    let built = place("c")?;
    let files = fs::read_dir(&tests).with_context(|| format!("{} cannot be read", tests.display()))?;
    let mut files = files.map(|file| Ok(file?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension() == Some(OsStr::new("c")));
    files.sort();
    for file in files {
        let name = file.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
        let program = built.join(&name);
        let clang = std::env::var_os("DIVVY_CLANG").unwrap_or_else(|| "clang".into());
        quiet(
            &format!("compile c/tests/{name}.c"),
            Command::new(clang).args(SANITIZED).arg("-o").arg(&program).arg(&file),
        )?;
        quiet(&format!("c/tests/{name}"), Command::new(&program).arg(suite()))?;
    }
    Ok(())
}

/// `zig test`, for this machine.
pub fn zig(tools: &Tools) -> Result<()> {
    let mut zig = Command::new(named(tools, "DIVVY_ZIG", "zig"));
    zig.args(["test", "tests.zig", "--cache-dir"]).arg(place("zig")?).current_dir(sdk("zig"));
    quiet("zig test", &mut zig).map(drop)
}

/// AssemblyScript knows only WebAssembly: Node runs a module of tests, and the reference strategies.
pub fn assemblyscript(tools: &Tools) -> Result<()> {
    let built = place("assemblyscript")?;
    for (source, name) in [("tests/all.ts", "tests"), ("even.ts", "even"), ("parts.ts", "parts")] {
        let mut asc = Command::new(named(tools, "DIVVY_ASC", "asc"));
        asc.arg(source).args(["--runtime", "stub", "--use", "abort=divvy/failed", "-o"]);
        asc.arg(built.join(name).with_extension("wasm")).current_dir(sdk("assemblyscript"));
        asc.env("PATH", named(tools, "PATH", ""));
        quiet(&format!("compile assemblyscript/{source}"), &mut asc)?;
    }
    let node = Node::with("assemblyscript")?;
    let mut run = node.script(&sdk("assemblyscript").join("tests/run.mjs"));
    quiet("assemblyscript/tests", run.arg(built).arg(suite())).map(drop)
}

/// `go test`, for this machine.
pub fn go(tools: &Tools) -> Result<()> {
    let go = named(tools, "DIVVY_GO", "go");
    for word in ["vet", "test"] {
        let mut command = Command::new(&go);
        command.args([word, "./divvy/...", "./even/...", "./parts/..."]).current_dir(sdk("go"));
        command.env("GOFLAGS", "-buildvcs=false").env("GOTOOLCHAIN", "local");
        quiet(&format!("go {word}"), &mut command)?;
    }
    Ok(())
}

fn sdk(language: &str) -> PathBuf {
    root().join("guest-sdk").join(language)
}

fn suite() -> PathBuf {
    root().join("tests/abi")
}

/// Where a language's tests are built.
fn place(language: &str) -> Result<PathBuf> {
    let folder = target().join("languages").join(language).join("tests");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

/// What the tools say, or what is found on the PATH.
fn named(tools: &Tools, variable: &str, otherwise: &str) -> OsString {
    let said = tools.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.clone());
    said.unwrap_or_else(|| Path::new(otherwise).into())
}
