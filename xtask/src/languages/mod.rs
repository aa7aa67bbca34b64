//! `cargo xtask languages`: the compilers of other languages as their registries have them, the reference strategies built by each
//! through `divvy assignor build`, and the conformance suite of ABI 1 run against all; then two of them lead real groups.
//! Before that each SDK passes its own tests on this machine ([`native`]), and what its README says of an author's is followed ([`readme`]).

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::divvy;
use crate::node::Node;
use crate::shell::{cargo, quiet, root, show, target};
use crate::{apt, go, python};

mod group;
mod native;
mod readme;

/// Where Zig is pinned.
const REQUIREMENTS: &str = "tests/interop/python/requirements-tools.txt";

/// Where the tests look for modules of other languages.
fn modules() -> PathBuf {
    target().join("guests/languages")
}

/// The reference strategies, one for each shape.
const STRATEGIES: [&str; 2] = ["even", "parts"];

/// A language: its SDK, and how its compiler is found.
struct Language {
    name: &'static str,
    /// What the project of a reference strategy is made of: files and folders below `guest-sdk/`, with the strategy's name for
    /// `STRATEGY`, and where they are in the project.
    files: &'static [(&'static str, &'static str)],
    /// Fetches the compiler; what `divvy assignor build` has to be told of it.
    tools: fn() -> Result<Tools>,
    /// Runs the SDK's own tests on this machine, as people of the language do.
    native: fn(&Tools) -> Result<()>,
}

/// What `divvy assignor build` has to be told of a compiler: variables of its environment.
type Tools = Vec<(&'static str, OsString)>;

const LANGUAGES: &[Language] = &[
    Language {
        name: "c",
        files: &[("c/divvy.h", "divvy.h"), ("c/divvy", "divvy"), ("c/STRATEGY.c", "assign.c")],
        tools: clang,
        native: native::c,
    },
    Language {
        name: "zig",
        files: &[("zig/divvy.zig", "divvy.zig"), ("zig/divvy", "divvy"), ("zig/STRATEGY.zig", "assign.zig")],
        tools: zig,
        native: native::zig,
    },
    Language {
        name: "assemblyscript",
        files: &[
            ("assemblyscript/divvy.ts", "divvy.ts"),
            ("assemblyscript/divvy", "divvy"),
            ("assemblyscript/STRATEGY.ts", "assign.ts"),
            ("assemblyscript/STRATEGY.json", "manifest.json"),
        ],
        tools: asc,
        native: native::assemblyscript,
    },
    Language {
        name: "go",
        files: &[("go/go.mod", "go.mod"), ("go/divvy", "divvy"), ("go/STRATEGY", "")],
        tools: golang,
        native: native::go,
    },
];

/// Builds and tests those that are named, or all.
pub fn run(names: &[String]) -> Result<()> {
    let known = || LANGUAGES.iter().map(|language| language.name).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = names.iter().find(|name| !LANGUAGES.iter().any(|language| language.name == **name)) {
        bail!("there is no language {unknown}; there are {}", known());
    }
    let chosen: Vec<&Language> = LANGUAGES
        .iter()
        .filter(|language| names.is_empty() || names.iter().any(|name| name == language.name))
        .collect();
    let program = divvy::build()?;
    for language in &chosen {
        let tools = (language.tools)().with_context(|| format!("there is no compiler for {}", language.name))?;
        (language.native)(&tools).with_context(|| format!("the SDK for {} fails its own tests", language.name))?;
        STRATEGIES.iter().try_for_each(|strategy| build(&program, language, strategy, &tools))?;
        ["partitions", "states"].iter().try_for_each(|shape| begin(&program, language, shape, &tools))?;
    }
    let names: Vec<&str> = chosen.iter().map(|language| language.name).collect();
    let mut suite = cargo(&["test", "--workspace", "--test", "modules", "--"]);
    suite.args(["--ignored", "--exact", "--nocapture", "abi::other_languages_give_the_same_bytes"]);
    show("the conformance suite of ABI 1", suite.env("DIVVY_LANGUAGES", names.join(" ")))?;
    for language in chosen.iter().filter(|language| ["c", "go"].contains(&language.name)) {
        group::led_by(&program, language.name, &module(language, "even"))?;
        group::told_by(&program, language.name, &module(language, "parts"))?;
    }
    Ok(())
}

/// Where a reference strategy's module lies.
fn module(language: &Language, strategy: &str) -> PathBuf {
    modules().join(language.name).join(strategy).with_extension("wasm")
}

/// A reference strategy, as a project of its own.
fn build(program: &Path, language: &Language, strategy: &str, tools: &Tools) -> Result<()> {
    let project = target().join("languages").join(language.name).join(strategy);
    lay_out(language, strategy, &project)?;
    compile(program, language, &project, tools)?;
    fs::create_dir_all(modules().join(language.name)).context("target/guests cannot be written")?;
    fs::copy(project.join(strategy).with_extension("wasm"), module(language, strategy))
        .with_context(|| format!("{} made no module", language.name))?;
    Ok(())
}

/// The project has these files and no others: one that was there before would be compiled with them.
fn lay_out(language: &Language, strategy: &str, project: &Path) -> Result<()> {
    match fs::remove_dir_all(project) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("{} cannot be made anew", project.display()));
        }
        _ => {}
    }
    for (from, to) in language.files {
        copy(&root().join("guest-sdk").join(from.replace("STRATEGY", strategy)), &project.join(to))?;
    }
    Ok(())
}

/// A file, or what is in a folder but for Go's tests.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        let folder = to.parent().context("a file lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        return fs::copy(from, to).map(drop).with_context(|| format!("{} cannot be copied", from.display()));
    }
    for entry in fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))? {
        let path = entry?.path();
        let name = path.file_name().context("an entry has a name")?;
        if !name.to_string_lossy().ends_with("_test.go") {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// What an author begins with: a new project builds, its own cases and laws hold, and what it costs is measured.
fn begin(program: &Path, language: &Language, shape: &str, tools: &Tools) -> Result<()> {
    let folder = tempfile::tempdir().context("there is no room for a project")?;
    let mut new = Command::new(program);
    new.args(["assignor", "new", "first-try", "--lang", language.name, "--shape", shape]).current_dir(folder.path());
    quiet(&format!("divvy assignor new --lang {} --shape {shape}", language.name), &mut new)?;
    let project = folder.path().join("first-try");
    compile(program, language, &project, tools)?;
    let tried: [&[&str]; 3] = [
        &["check", "first-try.wasm", "--vectors", "vectors.json"],
        &["test", "first-try.wasm", "--vectors", "vectors.json", "--groups", "40"],
        &["bench", "first-try.wasm", "--alone", "--group", "small"],
    ];
    for words in tried {
        let mut command = Command::new(program);
        command.arg("assignor").args(words).current_dir(&project);
        quiet(&format!("divvy assignor {}", words[0]), &mut command)?;
    }
    if shape == "partitions" { readme::followed(program, language.name, &project, tools) } else { Ok(()) }
}

fn compile(program: &Path, language: &Language, project: &Path, tools: &Tools) -> Result<()> {
    let mut command = Command::new(program);
    command.args(["assignor", "build"]).current_dir(project).envs(tools.iter().map(|(name, value)| (name, value)));
    quiet(&format!("divvy assignor build, {}", language.name), &mut command).map(drop)
}

fn clang() -> Result<Tools> {
    apt::program("clang", &["clang", "lld"])?;
    apt::program("wasm-ld", &["lld"])?;
    Ok(Vec::new())
}

fn zig() -> Result<Tools> {
    let python = python::environment("languages-zig", REQUIREMENTS, &["ziglang"])?;
    Ok(vec![("DIVVY_ZIG", python.with_file_name("python-zig").into())])
}

fn asc() -> Result<Tools> {
    let node = Node::with("assemblyscript")?;
    Ok(vec![("DIVVY_ASC", node.installed("asc").into()), ("PATH", node.path()?)])
}

fn golang() -> Result<Tools> {
    Ok(vec![("DIVVY_GO", go::compiler()?.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_sdk_no_longer_has_is_not_compiled_with_it() {
        let folder = tempfile::tempdir().unwrap();
        for language in LANGUAGES {
            let project = folder.path().join(language.name);
            let stale = project.join("divvy/was-here-before");
            fs::create_dir_all(project.join("divvy")).unwrap();
            fs::write(&stale, "").unwrap();
            lay_out(language, STRATEGIES[0], &project).unwrap();
            assert!(!stale.exists(), "{}", language.name);
            assert!(fs::read_dir(project.join("divvy")).unwrap().next().is_some(), "{}", language.name);
        }
        assert!(!folder.path().join("go/divvy/reader_test.go").exists());
    }
}
