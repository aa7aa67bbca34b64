//! `divvy assignor inspect`: what a module says of itself, what it is made of, and what it may use.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use super::{facts, load};
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, plain};
use crate::sandbox::{Module, SandboxLimits};

/// What a module says of itself, what it is made of, and what it may use.
#[derive(Args, Debug)]
pub struct Inspect {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    module: PathBuf,
}

impl Inspect {
    /// Prints it.
    pub fn run(self, output: &Output) -> Result<()> {
        let module = load(&self.module)?.map_err(|error| Failure::of(Kind::Failed, error.to_string()))?;
        let facts = facts::of(module.bytes())?;
        let sections: serde_json::Map<_, _> =
            facts.sections.iter().map(|(name, bytes)| (name.clone(), json!(bytes))).collect();
        let value = json!({
            "file": crate::text::path(&self.module),
            "protocol": module.protocol(),
            "digest": module.digest().to_string(),
            "bytes": module.bytes().len(),
            "manifest": module.manifest(),
            "exports": facts.exports,
            "imports": facts.imports,
            "functions": facts.functions,
            "memory_bytes": facts.memory_bytes,
            "stack_bytes": facts.stack_bytes,
            "sections": sections,
            "limits": limits(&module),
        });
        output.print(&value, || text(&value))
    }
}

/// What one call may use: what the module asks for, as far as the host's own limits go.
pub fn limits(module: &Module) -> Value {
    json!({
        "memory_mib": module.memory_limit() >> 20,
        "ms": u64::try_from(module.call_time().as_millis()).unwrap_or(u64::MAX),
        "request_bytes": SandboxLimits::default().input_bytes,
    })
}

/// The configuration's schema is a document of its own, and shown as one.
const SCHEMA: &str = "manifest.config_schema";

/// One key a line, those of inner objects joined by dots; what is not said is left out.
fn text(value: &Value) -> String {
    let mut lines = Vec::new();
    add_lines("", value, &mut lines);
    lines.join("\n")
}

fn add_lines(prefix: &str, value: &Value, lines: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Object(_) if key != SCHEMA => add_lines(&key, value, lines),
            other => lines.extend(line(&key, other)),
        }
    }
}

fn line(key: &str, value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Array(list) => list
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    };
    (!text.is_empty()).then(|| format!("{:<26} {}", plain(key), plain(&text)))
}
