//! The tests that an SDK has in its own language, run on this machine: reader, writer and rules with the language's own tools, and
//! the requests of `tests/abi` by the reference strategies without a sandbox around them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Tools;
use crate::apt;
use crate::node::Node;
use crate::shell::{ask, quiet, root, target};

/// Sanitizers see what a module's own memory hides: a byte too many, a number that does not fit.
pub const SANITIZED: [&str; 9] = [
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

/// Whether this machine runs programs of 32 bits without more ado: a module has as many, and so the tests run with both.
const RUNS_32_BITS: bool = cfg!(all(target_arch = "x86_64", target_os = "linux"));

/// Each file of `c/tests` is a program.
pub fn c(_: &Tools) -> Result<()> {
    let tests = sdk("c").join("tests");
    let built = place("c")?;
    let files = fs::read_dir(&tests).with_context(|| format!("{} cannot be read", tests.display()))?;
    let mut files = files.map(|file| Ok(file?.path())).collect::<Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension() == Some(OsStr::new("c")));
    files.sort();
    let clang = named(&Vec::new(), "DIVVY_CLANG", "clang");
    sanitizers(&clang, &built)?;
    let mut widths: Vec<&[&str]> = vec![&[]];
    // No package of sanitizers brings the C library of the other width.
    match RUNS_32_BITS && links(&clang, &built, &["-m32"]).is_ok() {
        true => widths.push(&["-m32"]),
        false => println!("    c/tests: with 64 bits alone, since {} links no programs of 32", clang.to_string_lossy()),
    }
    for (file, width) in files.iter().flat_map(|file| widths.iter().map(move |width| (file, *width))) {
        let name = file.file_stem().context("a file has a name")?.to_string_lossy();
        let what = format!("c/tests/{name} {}", width.join(" "));
        let what = what.trim_end();
        let program = built.join(&*name);
        let mut compile = Command::new(&clang);
        compile.args(SANITIZED).args(width).arg("-o").arg(&program).arg(file);
        quiet(&format!("compile {what}"), &mut compile)?;
        quiet(what, Command::new(&program).arg(suite()))?;
    }
    Ok(())
}

/// Makes sure that clang has them: Debian packs their library apart. Where it lies is each build's own choice, so it is tried.
fn sanitizers(clang: &OsStr, place: &Path) -> Result<()> {
    let Err(why) = links(clang, place, &[]) else { return Ok(()) };
    let program = clang.to_string_lossy();
    let version = ask(&program, &["-dumpversion"]).unwrap_or_default();
    let package = format!("libclang-rt-{}-dev", version.split('.').next().unwrap_or_default());
    apt::install(&[&package]).with_context(|| format!("{program} has no sanitizers: {why:#}"))?;
    links(clang, place, &[])
}

/// Whether an empty program becomes one.
fn links(clang: &OsStr, place: &Path, more: &[&str]) -> Result<()> {
    let source = place.join("empty.c");
    fs::write(&source, "#include <stdio.h>\nint main(void) { return 0; }\n")
        .context("there is no room for a program")?;
    let mut command = Command::new(clang);
    command.args(SANITIZED).args(more).arg("-o").arg(place.join("empty")).arg(&source);
    let heading = ["link with sanitizers", &more.join(" ")].join(" ");
    quiet(heading.trim_end(), &mut command).map(drop)
}

/// `zig test`, for this machine.
pub fn zig(tools: &Tools) -> Result<()> {
    let targets: &[&[&str]] = if RUNS_32_BITS { &[&[], &["-target", "x86-linux"]] } else { &[&[]] };
    for target in targets {
        let mut zig = Command::new(named(tools, "DIVVY_ZIG", "zig"));
        zig.args(["test", "tests.zig"]).args(*target).arg("--cache-dir").arg(place("zig")?).current_dir(sdk("zig"));
        quiet(&["zig test", &target.join(" ")].join(" "), &mut zig)?;
    }
    Ok(())
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
    let go = |words: &[&str]| {
        let mut command = Command::new(named(tools, "DIVVY_GO", "go"));
        command.args(words).args(["./divvy/...", "./even/...", "./parts/..."]).current_dir(sdk("go"));
        command.env("GOFLAGS", "-buildvcs=false").env("GOTOOLCHAIN", "local");
        command
    };
    quiet("go vet", &mut go(&["vet"]))?;
    quiet("go test", &mut go(&["test", "-count=1"]))?;
    if RUNS_32_BITS {
        quiet("go test, 32 bits", go(&["test", "-count=1"]).env("GOARCH", "386"))?;
    }
    Ok(())
}

pub fn sdk(language: &str) -> PathBuf {
    root().join("guest-sdk").join(language)
}

fn suite() -> PathBuf {
    root().join("tests/abi")
}

/// Where a language's tests are built.
pub fn place(language: &str) -> Result<PathBuf> {
    let folder = target().join("languages").join(language).join("tests");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

/// What the tools or the environment say, or what is found on the PATH.
pub fn named(tools: &Tools, variable: &str, otherwise: &str) -> OsString {
    let said = tools.iter().find(|(name, _)| *name == variable).map(|(_, value)| value.clone());
    said.or_else(|| std::env::var_os(variable)).unwrap_or_else(|| otherwise.into())
}
