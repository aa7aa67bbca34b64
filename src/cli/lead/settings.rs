//! What the operator says about the strategy and the members, from flags and a file; the file is read again when it changes.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value};

use crate::assignor::Spoken;
use crate::cli::failure::{Failure, Kind};
use crate::cli::member::key_value;
use crate::server::config::read_regular;
use crate::text::one_line;

/// The longest configuration of a strategy.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// What is wrong with it is a sentence.
const MESSAGE_CHARS: usize = 400;

/// What goes to the strategy beside the group.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// The strategy's configuration, JSON or TOML (*.toml); whoever leads reads it again when it changes
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A key of the strategy's configuration, such as `copies=2`; comes before the file
    #[arg(id = "set", long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    keys: Vec<(String, Value)>,
    /// What strategies may know of members that cannot tell it, by client id or instance id with `*`: `big-*:weight=4`,
    /// `indexer-7:rack=eu-1a`
    #[arg(long = "fact", value_name = "MEMBER:KEY=VALUE", value_parser = fact)]
    facts: Vec<Fact>,
}

/// A fact about members.
#[derive(Clone, Debug)]
struct Fact {
    member: String,
    name: String,
    value: Value,
}

impl Settings {
    /// The strategy's configuration: null if there is none.
    pub fn config(&self) -> Result<Value> {
        let mut config = match &self.config {
            None => Map::new(),
            Some(path) => read(path)?,
        };
        config.extend(self.keys.iter().cloned());
        Ok(if config.is_empty() { Value::Null } else { Value::Object(config) })
    }

    /// Whether there is a file that may change.
    pub fn may_change(&self) -> bool {
        self.config.is_some()
    }

    /// The keys of `--set`.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|(key, _)| key.as_str())
    }

    /// What `--fact` says: of which members, the fact's name and its value.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.facts.iter().map(|fact| (fact.member.as_str(), fact.name.as_str(), &fact.value))
    }

    /// What is said for members.
    pub fn spoken(&self) -> Spoken {
        let mut spoken = Spoken::default();
        self.facts.iter().for_each(|fact| spoken.add(&fact.member, &fact.name, fact.value.clone()));
        spoken
    }
}

fn read(path: &Path) -> Result<Map<String, Value>> {
    let shown = path.display();
    let bytes = read_regular(path, MAX_CONFIG_BYTES).map_err(|error| {
        let kind = if error.kind() == std::io::ErrorKind::NotFound { Kind::NotFound } else { Kind::Failed };
        Failure::of(kind, format!("--config {shown} cannot be read ({error}): check the path"))
    })?;
    let wrong = |why: &dyn std::fmt::Display| {
        Failure::of(Kind::Usage, format!("--config {shown} is no map of settings: {why}"))
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| wrong(&error))?;
    let value: Value = match path.extension().is_some_and(|end| end == "toml") {
        // What TOML's own sentence shows of the file takes lines.
        true => toml::from_str(text).map_err(|error| {
            let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
            let line = 1 + before.matches('\n').count();
            wrong(&format_args!("line {line}: {}", one_line(error.message(), MESSAGE_CHARS)))
        })?,
        false => serde_json::from_str(text).map_err(|error| wrong(&error))?,
    };
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(wrong(&"write {\"KEY\": VALUE, …}")),
    }
}

fn fact(text: &str) -> Result<Fact, String> {
    let wrong = "write MEMBER:KEY=VALUE, such as big-*:weight=4";
    let (key, _) = text.split_once('=').ok_or(wrong)?;
    let colon = key.rfind(':').filter(|at| *at > 0).ok_or(wrong)?;
    let (name, value) = key_value(&text[colon + 1..]).map_err(|_| wrong)?;
    Ok(Fact { member: text[..colon].to_owned(), name, value })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fact_names_its_member_before_the_last_colon() {
        let fact = fact("host:1-*:weight=4").unwrap();
        assert_eq!((fact.member.as_str(), fact.name.as_str(), fact.value), ("host:1-*", "weight", json!(4)));
        for wrong in ["weight=4", ":weight=4", "a:weight", "a:=4", ""] {
            assert!(super::fact(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_come_before_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it.toml");
        std::fs::write(&file, "copies = 2\nspread = \"topic\"\n").unwrap();
        let settings = Settings { config: Some(file.clone()), keys: vec![("copies".into(), json!(3))], facts: vec![] };
        assert_eq!(settings.config().unwrap(), json!({ "copies": 3, "spread": "topic" }));
        std::fs::write(&file, "# two\ncopies = [\n").unwrap();
        let refused = settings.config().unwrap_err().to_string();
        assert!(refused.contains("it.toml is no map of settings: line ") && !refused.contains('\n'), "{refused}");
        let none = Settings { config: None, keys: vec![], facts: vec![] };
        assert_eq!(none.config().unwrap(), Value::Null);
    }
}
