//! What was named and is not there: assignors without a module, and folders without any. The member serves all the same,
//! since a module may be dropped in later, but nobody has to find out from what it does not offer.

use std::path::{Path, PathBuf};

use serde_json::json;
use wasmparser::{Parser, Payload};

use super::Said;
use crate::assignor::Manifest;
use crate::cli::files;
use crate::membership::config::CONSUMER;
use crate::membership::negotiate::NATIVE;

/// Where a module says what it is.
const MANIFEST_SECTION: &str = "divvy.manifest";

/// How many of the strategies that are there a sentence names.
const NAMED: usize = 8;

/// What is not there of what a member of that type was told to offer, as far as the modules' own words go. Whether they
/// serve is found out later, and told then.
pub fn missing(wanted: &[String], folders: &[PathBuf], protocol_type: &str) -> Vec<Said> {
    let (manifests, silent) = read(folders);
    let shown: Vec<String> = folders.iter().map(|folder| crate::text::path(folder)).collect();
    let places = shown.join(" nor ");
    if manifests.is_empty() && wanted.is_empty() {
        let text = match protocol_type {
            CONSUMER => format!(
                "there is no module in {places}: range, which is built in, is all that is offered until a *.wasm file \
                 is dropped there"
            ),
            other => format!(
                "there is no module in {places}, and only a module can serve type {other}: drop its *.wasm file there"
            ),
        };
        let event = json!({ "event": "no_modules", "folders": shown });
        return vec![Said { event, text }];
    }
    let lacks = |name: &&String| !is_there(name, &manifests, protocol_type);
    let say = |name: &String| {
        let event = json!({ "event": "assignor_missing", "assignor": name, "folders": shown });
        let there_is = there_is(name, &manifests, protocol_type);
        let text = match silent.iter().find(|path| is_named_after(path, name)) {
            Some(path) => format!(
                "{} is there and does not say what it is, so no assignor {name} is offered ({there_is}): build it anew, \
                 `divvy assignor inspect` tells what is wrong with it",
                crate::text::path(path)
            ),
            None => format!(
                "there is no assignor {name} for type {protocol_type} in {places} ({there_is}): it is offered once its \
                 *.wasm file is dropped there"
            ),
        };
        Said { event, text }
    };
    wanted.iter().filter(lacks).map(say).collect()
}

/// What could be meant instead: what serves that type, and what the name stands for elsewhere.
fn there_is(wanted: &str, manifests: &[Manifest], protocol_type: &str) -> String {
    let fits = manifests.iter().filter(|it| it.protocol_type == protocol_type);
    let others = some_of(fits.map(|it| it.protocol().to_string()).collect());
    match manifests.iter().find(|it| it.protocol_type != protocol_type && it.is_called(wanted)) {
        Some(it) => format!("there is {others}; {} is for type {}", it.protocol(), it.protocol_type),
        None => format!("there is {others}"),
    }
}

fn is_there(wanted: &str, manifests: &[Manifest], protocol_type: &str) -> bool {
    (wanted == NATIVE && protocol_type == CONSUMER)
        || manifests.iter().any(|it| it.protocol_type == protocol_type && it.is_called(wanted))
}

/// These strategies in one sentence, the first of them if they are many.
pub fn some_of(mut names: Vec<String>) -> String {
    names.sort_unstable();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    match (names.is_empty(), more) {
        (true, _) => "no module".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
}

/// Whether that is what the file of a strategy is called, usually.
pub fn is_named_after(path: &Path, wanted: &str) -> bool {
    let (stem, name) = (path.file_stem(), wanted.split('@').next().unwrap_or(wanted));
    stem.is_some_and(|stem| stem == name || stem == wanted || *stem.to_string_lossy() == name.replace('-', "_"))
}

/// What the modules of the folders say of themselves, and the files that say nothing: why, is told when they are loaded.
fn read(folders: &[PathBuf]) -> (Vec<Manifest>, Vec<PathBuf>) {
    let (mut manifests, mut silent) = (Vec::new(), Vec::new());
    for path in folders.iter().flat_map(|folder| modules(folder)) {
        match files::module(&path).ok().and_then(|bytes| manifest(&bytes)) {
            Some(manifest) => manifests.push(manifest),
            None => silent.push(path),
        }
    }
    (manifests, silent)
}

fn modules(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "wasm"))
}

fn manifest(bytes: &[u8]) -> Option<Manifest> {
    let mut sections = Parser::new(0).parse_all(bytes).map_while(Result::ok);
    let json = sections.find_map(|payload| match payload {
        Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => Some(section.data().to_vec()),
        _ => None,
    })?;
    serde_json::from_slice(&json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(folder: &Path, wanted: &str) -> String {
        let said = missing(&[wanted.to_owned()], &[folder.to_owned()], CONSUMER);
        said.into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn a_file_that_is_there_and_says_nothing_is_not_asked_for_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(said(folder.path(), "rack-aware").contains("it is offered once its *.wasm file is dropped there"));
        for file in ["rack-aware.wasm", "rack_aware.wasm", "rack-aware@2.wasm"] {
            std::fs::write(folder.path().join(file), b"no module").unwrap();
            let said = said(folder.path(), "rack-aware@2");
            assert!(said.contains(&format!("{file} is there and does not say what it is")), "{said}");
            std::fs::remove_file(folder.path().join(file)).unwrap();
        }
    }

    #[test]
    fn of_many_strategies_some_are_named() {
        let names = |count: usize| (1..=count).map(|it| format!("n{it:03}@1")).collect();
        assert_eq!(some_of(names(0)), "no module");
        assert_eq!(some_of(names(2)), "n001@1, n002@1");
        assert!(some_of(names(100)).ends_with("n007@1, n008@1 and 92 more"));
    }
}
