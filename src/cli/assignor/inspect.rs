//! `divvy assignor inspect`: what a module says of itself, and what it may use.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use wasmparser::{Parser, Payload};

use super::load;
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, plain};
use crate::sandbox::{Module, SandboxLimits};

/// What a module says of itself, and what it may use.
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
        let limits = limits(&module);
        let value = json!({
            "file": self.module,
            "protocol": module.protocol(),
            "digest": module.digest().to_string(),
            "bytes": module.bytes().len(),
            "manifest": module.manifest(),
            "exports": exports(module.bytes())?,
            "limits": limits,
        });
        output.print(&value, || text(&value))
    }
}

/// What one call may use: what the module asks for, as far as the host's own limits go.
fn limits(module: &Module) -> Value {
    let host = SandboxLimits::default();
    let asked = module.manifest().limits;
    let memory_bytes = match asked.memory_mib {
        Some(mib) => host.max_memory_bytes.min((mib as usize) << 20),
        None => host.memory_bytes,
    };
    json!({ "memory_mib": memory_bytes >> 20, "ms": asked.ms, "request_bytes": host.input_bytes })
}

/// The names that it exports; the sandbox has found the module valid before.
fn exports(bytes: &[u8]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        if let Payload::ExportSection(section) = payload? {
            for export in section {
                names.push(export?.name.to_owned());
            }
        }
    }
    Ok(names)
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
    (!text.is_empty()).then(|| format!("{key:<26} {}", plain(&text)))
}
