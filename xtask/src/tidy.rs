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

/// One Rust file of the repository.
struct Source {
    /// From the repository's root, with `/`.
    path: String,
    text: String,
}

/// Where Rust is written.
const FOLDERS: [&str; 5] = ["src", "guest-sdk", "assignors", "tests", "xtask"];

/// Checks the repository, and names every broken rule with its file and line.
pub fn run(_: &[String]) -> Result<()> {
    let sources = read(&root())?;
    let broken = check(&sources);
    for complaint in &broken {
        eprintln!("{complaint}");
    }
    if !broken.is_empty() {
        bail!("{} broken rules in {} files (the rules: xtask/src/tidy)", broken.len(), sources.len());
    }
    println!("tidy: {} files keep the rules", sources.len());
    Ok(())
}

fn check(sources: &[Source]) -> Vec<String> {
    let mut broken = first_lines(sources);
    broken.extend(floors::check(sources));
    broken.extend(sizes::check(sources, sizes::ARGUED));
    broken.extend(files::check(sources));
    broken
}

/// Every file opens with what it promises.
fn first_lines(sources: &[Source]) -> Vec<String> {
    let silent = sources.iter().filter(|source| !source.text.starts_with("//! "));
    silent
        .map(|source| format!("{}:1: the first line is no `//! ` that says what the file promises", source.path))
        .collect()
}

fn read(root: &Path) -> Result<Vec<Source>> {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        walk(&root.join(folder), &mut paths)?;
    }
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        sources.push(Source { path, text });
    }
    Ok(sources)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            walk(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}
