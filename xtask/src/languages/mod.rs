//! `cargo xtask languages`: the compilers of other languages as their registries have them, the reference strategy built by each
//! through `divvy assignor build`, and the conformance suite of ABI 1 run against all; then two of them lead real groups.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::divvy;
use crate::node::Node;
use crate::shell::{cargo, quiet, root, show, target};
use crate::{apt, go, python};

mod group;

/// Where Zig is pinned.
const REQUIREMENTS: &str = "tests/interop/python/requirements-tools.txt";

/// Where the tests look for modules of other languages.
fn modules() -> PathBuf {
    target().join("guests/languages")
}

/// A language: its SDK, and how its compiler is found.
struct Language {
    name: &'static str,
    /// What the project of the reference strategy is made of: below `guest-sdk/`, and in the project.
    files: &'static [(&'static str, &'static str)],
    /// Fetches the compiler; what `divvy assignor build` has to be told of it.
    tools: fn() -> Result<Vec<(&'static str, OsString)>>,
}

const LANGUAGES: &[Language] = &[
    Language { name: "c", files: &[("c/divvy.h", "divvy.h"), ("c/even.c", "assign.c")], tools: clang },
    Language { name: "zig", files: &[("zig/divvy.zig", "divvy.zig"), ("zig/even.zig", "assign.zig")], tools: zig },
    Language {
        name: "assemblyscript",
        files: &[
            ("assemblyscript/divvy.ts", "divvy.ts"),
            ("assemblyscript/even.ts", "assign.ts"),
            ("assemblyscript/even.json", "manifest.json"),
        ],
        tools: asc,
    },
    Language {
        name: "go",
        files: &[
            ("go/go.mod", "go.mod"),
            ("go/divvy/divvy.go", "divvy/divvy.go"),
            ("go/divvy/exports.go", "divvy/exports.go"),
            ("go/divvy/msgpack.go", "divvy/msgpack.go"),
            ("go/divvy/request.go", "divvy/request.go"),
            ("go/even/assign.go", "assign.go"),
            ("go/even/manifest.json", "manifest.json"),
        ],
        tools: golang,
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
        build(&program, language, &tools)?;
        begin(&program, language, &tools)?;
    }
    let names: Vec<&str> = chosen.iter().map(|language| language.name).collect();
    let mut suite = cargo(&["test", "--workspace", "--test", "modules", "--"]);
    suite.args(["--ignored", "--exact", "--nocapture", "abi::other_languages_give_the_same_bytes"]);
    show("the conformance suite of ABI 1", suite.env("DIVVY_LANGUAGES", names.join(" ")))?;
    for language in chosen.iter().filter(|language| ["c", "go"].contains(&language.name)) {
        group::led_by(&program, language.name, &modules().join(language.name).with_extension("wasm"))?;
    }
    Ok(())
}

/// The reference strategy, as a project of its own.
fn build(program: &Path, language: &Language, tools: &[(&str, OsString)]) -> Result<()> {
    let project = target().join("languages").join(language.name);
    for (from, to) in language.files {
        let (from, to) = (root().join("guest-sdk").join(from), project.join(to));
        let folder = to.parent().context("a file lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        fs::copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
    }
    compile(program, language, &project, tools)?;
    fs::create_dir_all(modules()).context("target/guests cannot be written")?;
    let module = modules().join(language.name).with_extension("wasm");
    fs::copy(project.join("even.wasm"), &module).with_context(|| format!("{} made no module", language.name))?;
    Ok(())
}

/// What an author begins with: a new project builds, and its own cases hold.
fn begin(program: &Path, language: &Language, tools: &[(&str, OsString)]) -> Result<()> {
    let folder = tempfile::tempdir().context("there is no room for a project")?;
    let mut new = Command::new(program);
    new.args(["assignor", "new", "first-try", "--lang", language.name]).current_dir(folder.path());
    quiet(&format!("divvy assignor new --lang {}", language.name), &mut new)?;
    let project = folder.path().join("first-try");
    compile(program, language, &project, tools)?;
    let mut check = Command::new(program);
    check.args(["assignor", "check", "first-try.wasm", "--vectors", "vectors.json"]).current_dir(&project);
    quiet("divvy assignor check", &mut check)?;
    Ok(())
}

fn compile(program: &Path, language: &Language, project: &Path, tools: &[(&str, OsString)]) -> Result<()> {
    let mut command = Command::new(program);
    command.args(["assignor", "build"]).current_dir(project).envs(tools.iter().map(|(name, value)| (name, value)));
    quiet(&format!("divvy assignor build, {}", language.name), &mut command).map(drop)
}

fn clang() -> Result<Vec<(&'static str, OsString)>> {
    apt::program("clang", &["clang", "lld"])?;
    apt::program("wasm-ld", &["lld"])?;
    Ok(Vec::new())
}

fn zig() -> Result<Vec<(&'static str, OsString)>> {
    let python = python::environment("languages-zig", REQUIREMENTS, &["ziglang"])?;
    Ok(vec![("DIVVY_ZIG", python.with_file_name("python-zig").into())])
}

fn asc() -> Result<Vec<(&'static str, OsString)>> {
    let node = Node::with("assemblyscript")?;
    Ok(vec![("DIVVY_ASC", node.installed("asc").into()), ("PATH", node.path()?)])
}

fn golang() -> Result<Vec<(&'static str, OsString)>> {
    Ok(vec![("DIVVY_GO", go::compiler()?.into())])
}
