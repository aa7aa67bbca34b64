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

/// What is not there of what a member of that type was told to offer, as far as the modules' own words go. Whether they
/// serve is found out later, and told then.
pub fn missing(wanted: &[String], folders: &[PathBuf], protocol_type: &str) -> Vec<Said> {
    let manifests: Vec<Manifest> = folders.iter().flat_map(|folder| manifests(folder)).collect();
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
        let text = format!(
            "there is no assignor {name} for type {protocol_type} in {places} ({}): it is offered once its *.wasm file \
             is dropped there",
            there_is(name, &manifests, protocol_type)
        );
        Said { event, text }
    };
    wanted.iter().filter(lacks).map(say).collect()
}

/// What could be meant instead: what serves that type, and what the name stands for elsewhere.
fn there_is(wanted: &str, manifests: &[Manifest], protocol_type: &str) -> String {
    let fits = manifests.iter().filter(|it| it.protocol_type == protocol_type);
    let mut others: Vec<String> = fits.map(|it| it.protocol().to_string()).collect();
    others.sort();
    let others = if others.is_empty() { "no module".to_owned() } else { others.join(", ") };
    match manifests.iter().find(|it| it.protocol_type != protocol_type && it.is_called(wanted)) {
        Some(it) => format!("there is {others}; {} is for type {}", it.protocol(), it.protocol_type),
        None => format!("there is {others}"),
    }
}

fn is_there(wanted: &str, manifests: &[Manifest], protocol_type: &str) -> bool {
    (wanted == NATIVE && protocol_type == CONSUMER)
        || manifests.iter().any(|it| it.protocol_type == protocol_type && it.is_called(wanted))
}

/// What the modules of a folder say of themselves; a file that says nothing is told of when it is loaded.
fn manifests(folder: &Path) -> Vec<Manifest> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let modules = entries.filter(|path| path.extension().is_some_and(|end| end == "wasm"));
    modules.filter_map(|path| manifest(&files::module(&path).ok()?)).collect()
}

fn manifest(bytes: &[u8]) -> Option<Manifest> {
    let mut sections = Parser::new(0).parse_all(bytes).map_while(Result::ok);
    let json = sections.find_map(|payload| match payload {
        Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => Some(section.data().to_vec()),
        _ => None,
    })?;
    serde_json::from_slice(&json).ok()
}
