//! No dead file: every Rust file is reached from a root through `mod` lines.

use std::collections::BTreeSet;

use super::Source;

/// Every file that no root leads to.
pub fn check(sources: &[Source]) -> Vec<String> {
    let paths: BTreeSet<&str> = sources.iter().map(|source| source.path.as_str()).collect();
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&Source> = sources.iter().filter(|source| is_root(&source.path)).collect();
    while let Some(source) = waiting.pop() {
        if reached.insert(source.path.as_str()) {
            let children = children(source).into_iter().filter(|child| paths.contains(child.as_str()));
            waiting.extend(children.filter_map(|child| sources.iter().find(|source| source.path == child)));
        }
    }
    let dead = paths.difference(&reached);
    dead.map(|path| format!("{path}:1: no `mod` line leads to this file")).collect()
}

/// The files that cargo itself names.
fn is_root(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    match folder {
        "src" => matches!(name, "lib.rs" | "main.rs"),
        "examples" | "bench" | "fuzz_targets" => true,
        // The tests of a crate; a folder of that name inside `src` holds modules.
        "tests" => !path.contains("/src/") && !path.starts_with("src/"),
        _ => path.starts_with("tests/") && name == "main.rs",
    }
}

/// Where the modules that a file declares may lie.
fn children(source: &Source) -> Vec<String> {
    let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let owns_its_folder = matches!(name, "mod.rs" | "lib.rs" | "main.rs") || is_root(&source.path);
    let home = if owns_its_folder { folder.to_owned() } else { format!("{folder}/{}", name.trim_end_matches(".rs")) };
    let by_macro = source.text.contains("mod $");
    let mut found = Vec::new();
    let mut placed = None;
    for line in source.text.lines().map(str::trim) {
        // Rows of a table that declares a module for each: `name: …`.
        if let Some((module, _)) = line.split_once(':').filter(|(name, _)| by_macro && is_name(name)) {
            found.push(format!("{home}/{module}.rs"));
        }
        if let Some(path) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            placed = Some(path);
        } else if let Some(module) = declared(line) {
            match placed.take() {
                Some(path) => found.push(resolve(&format!("{folder}/{path}"))),
                None => found.extend([format!("{home}/{module}.rs"), format!("{home}/{module}/mod.rs")]),
            }
        }
    }
    found
}

/// The name in `pub(crate) mod NAME;`.
fn declared(line: &str) -> Option<&str> {
    let (before, name) = line.strip_suffix(';')?.rsplit_once("mod ")?;
    let plain = before.is_empty() || before == "pub " || (before.starts_with("pub(") && before.ends_with(") "));
    (plain && is_name(name)).then_some(name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Takes `x/..` out of a path.
fn resolve(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else if part != "." {
            parts.push(part);
        }
    }
    parts.join("/")
}
