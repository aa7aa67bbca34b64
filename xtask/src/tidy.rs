//! `cargo xtask tidy`: the house rules that a compiler does not know. Also a test, so that nobody has to remember it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell::root;

mod files;
mod floors;
mod sizes;
#[cfg(test)]
mod tests;

/// One file of the repository.
struct Source {
    /// From the repository's root, with `/`.
    path: String,
    text: String,
}

/// Where Rust is written.
const FOLDERS: [&str; 5] = ["src", "guest-sdk", "assignors", "tests", "xtask"];

/// The other languages of the SDKs: what a file's name ends with, and how its first line begins.
const OTHERS: [(&str, &str); 6] =
    [("c", "/* "), ("h", "/* "), ("zig", "//! "), ("ts", "// "), ("mjs", "// "), ("go", "// ")];

/// Checks the repository, and names every broken rule with its file and line.
pub fn run(_: &[String]) -> Result<()> {
    let (sources, others) = read(&root())?;
    let broken = check(&sources, &others);
    for complaint in &broken {
        eprintln!("{complaint}");
    }
    if !broken.is_empty() {
        let files = sources.len() + others.len();
        bail!("{} broken rules in {files} files (the rules: xtask/src/tidy)", broken.len());
    }
    println!("tidy: {} files keep the rules", sources.len() + others.len());
    Ok(())
}

fn check(sources: &[Source], others: &[Source]) -> Vec<String> {
    let mut broken = first_lines(sources);
    broken.extend(first_lines(others));
    broken.extend(sizes::check(others, &[]));
    broken.extend(floors::check(sources));
    broken.extend(sizes::check(sources, sizes::ARGUED));
    broken.extend(files::check(sources));
    broken
}

/// Every file opens with what it promises.
fn first_lines(sources: &[Source]) -> Vec<String> {
    let begins = |path: &str| {
        let kind = path.rsplit('.').next().unwrap_or_default();
        OTHERS.iter().find(|(ending, _)| *ending == kind).map_or("//! ", |(_, begins)| begins)
    };
    let silent = sources.iter().filter(|source| !source.text.starts_with(begins(&source.path)));
    let complaint = |source: &Source| {
        let begins = begins(&source.path);
        format!("{}:1: the first line is no `{begins}` that says what the file promises", source.path)
    };
    silent.map(complaint).collect()
}

/// The repository's Rust, and what the SDKs have in other languages.
fn read(root: &Path) -> Result<(Vec<Source>, Vec<Source>)> {
    let (mut rust, mut others) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        walk(&root.join(folder), &["rs"], &mut rust)?;
    }
    walk(&root.join("guest-sdk"), &OTHERS.map(|(ending, _)| ending), &mut others)?;
    Ok((texts(root, rust)?, texts(root, others)?))
}

fn texts(root: &Path, mut paths: Vec<PathBuf>) -> Result<Vec<Source>> {
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        Ok(Source { path, text })
    };
    paths.into_iter().map(read).collect()
}

fn walk(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        // What compilers and package managers leave behind is not ours.
        let is_ours =
            path.file_name().is_some_and(|name| name != "target" && name != "node_modules" && name != ".zig-cache");
        if path.is_dir() && is_ours {
            walk(&path, endings, found)?;
        } else if path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending)) {
            found.push(path);
        }
    }
    Ok(())
}
