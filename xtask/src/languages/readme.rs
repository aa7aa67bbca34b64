//! The test that an SDK's README shows an author, in a new project, on the request that `divvy assignor run` writes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Tools;
use super::native::{SANITIZED, named, place, sdk};
use crate::shell::quiet;

/// Puts it where the README says, and runs it as the README says.
pub fn followed(program: &Path, language: &str, project: &Path, tools: &Tools) -> Result<()> {
    let file = match language {
        "c" => "test.c",
        "zig" => "assign.zig",
        "go" => "assign_test.go",
        // A module is tested as one, in Node.
        _ => return Ok(()),
    };
    write_request(program, project)?;
    let name = project.file_name().context("a project has a name")?.to_string_lossy();
    let shown = block(language)?.replace("\"mine/", &format!("\"{name}/"));
    // Zig's stands beside the function, the others in a file of their own.
    let before = fs::read_to_string(project.join(file)).unwrap_or_default();
    fs::write(project.join(file), format!("{before}\n{shown}")).with_context(|| format!("{file} cannot be written"))?;
    let run = |program: &Path, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).current_dir(project);
        quiet(&format!("the test of {language}/README.md"), &mut command).map(drop)
    };
    match language {
        "c" => {
            let words = [&SANITIZED[..], &["-o", "test", "test.c"]].concat();
            run(named(tools, "DIVVY_CLANG", "clang").as_ref(), &words)?;
            run(&project.join("test"), &["case.msgpack"])
        }
        "zig" => {
            let cache = place("zig")?.to_string_lossy().into_owned();
            run(named(tools, "DIVVY_ZIG", "zig").as_ref(), &["test", file, "--cache-dir", &cache])
        }
        _ => run(named(tools, "DIVVY_GO", "go").as_ref(), &["test", "-buildvcs=false", "."]),
    }
}

/// The code in the README of a language.
fn block(language: &str) -> Result<String> {
    let path = sdk(language).join("README.md");
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let begun = text.split_once(&format!("```{language}\n"));
    let block = begun.and_then(|(_, rest)| rest.split_once("```")).map(|(block, _)| block.to_owned());
    block.with_context(|| format!("{} shows no test", path.display()))
}

/// The first case of the new project.
fn write_request(program: &Path, project: &Path) -> Result<()> {
    let vectors = fs::read(project.join("vectors.json")).context("the project has no vectors.json")?;
    let vectors: Value = serde_json::from_slice(&vectors)?;
    fs::write(project.join("case.json"), vectors["cases"][0].to_string()).context("case.json cannot be written")?;
    let mut run = Command::new(program);
    run.args(["assignor", "run", "--module", "first-try.wasm", "--input", "case.json", "--request", "case.msgpack"]);
    quiet("divvy assignor run --request", run.current_dir(project)).map(drop)
}
