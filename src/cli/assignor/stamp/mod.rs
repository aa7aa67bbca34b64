//! `divvy assignor stamp`: writes the manifest into a module of any language, for compilers that cannot write custom sections.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use wasmparser::{Encoding, Parser, Payload};

use super::check::columns;
use crate::cli::failure::{Failure, Kind};
use crate::cli::files;
use crate::cli::output::{Output, aside, plain};
use crate::sandbox::{Sandbox, SandboxLimits};

mod mistakes;

/// The custom section of a manifest.
const SECTION: &str = "divvy.manifest";

/// How every module and component begins.
const MAGIC: &[u8] = b"\0asm";

/// Write a manifest into a module, in place of the one that is there.
#[derive(Args, Debug)]
pub struct Stamp {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    module: PathBuf,
    /// The manifest: {"abi": "1.0", "name": "by-size"} is enough
    #[arg(long, value_name = "MANIFEST.json")]
    manifest: PathBuf,
    /// Where the stamped module goes [default: FILE.wasm itself]
    #[arg(long, value_name = "FILE.wasm")]
    out: Option<PathBuf>,
}

impl Stamp {
    /// Stamps it, if every member would take what comes of it.
    pub fn run(self, output: &Output) -> Result<()> {
        let bytes = stamped(&files::module(&self.module)?, &files::manifest(&self.manifest)?, &self.module)?;
        let out = self.out.as_ref().unwrap_or(&self.module);
        let sandbox = Sandbox::new(SandboxLimits::of_author())?;
        let module = sandbox.load(&bytes, out).map_err(|error| Failure::of(Kind::Failed, error.to_string()))?;
        files::write("the module", out, &bytes)?;
        if let Some(told) = columns::unknown(&module.manifest().needs) {
            aside(&format!("the manifest's needs: {told}"));
        }
        let value = json!({
            "file": crate::text::path(out),
            "protocol": module.protocol(),
            "bytes": bytes.len(),
            "digest": module.digest().to_string(),
        });
        output.print(&value, || {
            let (file, protocol) = (out.display().to_string(), plain(module.protocol().as_str()));
            format!("{}  {}  serves as {protocol}", plain(&file), module.digest())
        })
    }
}

/// The module with the manifest. `named` is the file that sentences about the module name.
pub fn stamped(module: &[u8], manifest: &[u8], named: &Path) -> Result<Vec<u8>> {
    let manifest = mistakes::read(manifest).map_err(|mistakes| {
        let count = mistakes.len();
        let list: Vec<String> = mistakes.iter().map(|mistake| format!("\n  {mistake}")).collect();
        let noun = if count == 1 { "mistake" } else { "mistakes" };
        Failure::of(Kind::Usage, format!("the manifest has {count} {noun}:{}", list.concat()))
    })?;
    with_section(module, &manifest)
        .map_err(|why| Failure::of(Kind::Failed, format!("{}: it cannot be stamped: {why}", named.display())))
}

/// What is wrong with the manifest in a module, in the words that its author gets of one in a file; none if nothing is.
pub fn mistakes_of(module: &[u8]) -> Option<String> {
    let manifest = Parser::new(0).parse_all(module).find_map(|payload| match payload {
        Ok(Payload::CustomSection(section)) if section.name() == SECTION => Some(section.data()),
        _ => None,
    })?;
    Some(mistakes::read(manifest).err()?.join("; "))
}

/// Copies every section but the old manifest, and appends the new one.
fn with_section(module: &[u8], manifest: &Value) -> Result<Vec<u8>, String> {
    if !module.is_empty() && !MAGIC.starts_with(&module[..module.len().min(MAGIC.len())]) {
        return Err("it does not begin like a WebAssembly module".to_owned());
    }
    let mut out = module.get(..8).ok_or("it ends before it begins: a module has at least 8 bytes")?.to_vec();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(|error| format!("it is no WebAssembly module ({})", error.message()))?;
        match &payload {
            Payload::Version { encoding: Encoding::Component, .. } => {
                return Err("it is a component; an assignor is a core module".to_owned());
            }
            Payload::CustomSection(section) if section.name() == SECTION => continue,
            _ => {}
        }
        if let Some((id, range)) = payload.as_section() {
            let content = module.get(range).ok_or("one of its sections ends after the file")?;
            add_section(id, &[content], &mut out);
        }
    }
    let mut name = Vec::new();
    add_number(SECTION.len(), &mut name);
    name.extend_from_slice(SECTION.as_bytes());
    add_section(0, &[&name, manifest.to_string().as_bytes()], &mut out);
    Ok(out)
}

fn add_section(id: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    out.push(id);
    add_number(parts.iter().map(|part| part.len()).sum(), out);
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

/// LEB128, as WebAssembly writes lengths.
fn add_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: &str = r#"(module
        (memory (export "memory") 1)
        (func (export "divvy_abi_v1"))
        (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
        (func (export "divvy_assign") (param i32 i32) (result i64) (i64.const 4)))"#;

    fn load(bytes: &[u8]) -> std::sync::Arc<crate::sandbox::Module> {
        Sandbox::new(SandboxLimits::default()).unwrap().load(bytes, Path::new("m.wasm")).unwrap()
    }

    #[test]
    fn a_module_of_any_language_gets_its_manifest_and_a_later_one_in_its_place() {
        let bare = wat::parse_str(BARE).unwrap();
        let path = Path::new("m.wasm");
        let first = stamped(&bare, br#"{"abi": "1.0", "name": "by-size"}"#, path).unwrap();
        assert_eq!(load(&first).protocol().as_str(), "by-size@1");
        assert!(first.starts_with(&bare), "the sections before stay as they are");
        let long = "x".repeat(300);
        let manifest = format!(r#"{{"abi": "1.0", "name": "by-size", "version": 2, "description": "{long}"}}"#);
        let second = stamped(&first, manifest.as_bytes(), path).unwrap();
        assert_eq!(load(&second).protocol().as_str(), "by-size@2");
        assert_eq!(stamped(&second, br#"{"abi": "1.0", "name": "by-size"}"#, path).unwrap(), first);
    }

    #[test]
    fn what_is_no_module_is_refused_in_a_sentence() {
        for bytes in [&b""[..], b"\0asm", b"hello, hello", b"\0asm\x0d\0\x01\0", b"\0asm\x01\0\0\0\x01\x7f"] {
            let error = stamped(bytes, br#"{"abi": "1.0", "name": "x"}"#, Path::new("m.wasm")).unwrap_err();
            assert!(error.to_string().starts_with("m.wasm: it cannot be stamped: "), "{error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_manifest_that_a_compiler_wrote_is_refused_in_the_same_words() {
        let with = |manifest: &str| {
            let mut module = wat::parse_str(BARE).unwrap();
            let mut name = vec![SECTION.len() as u8];
            name.extend_from_slice(SECTION.as_bytes());
            add_section(0, &[&name, manifest.as_bytes()], &mut module);
            super::super::for_its_author(
                Sandbox::new(SandboxLimits::default()).unwrap().load(&module, Path::new("m.wasm")).unwrap_err(),
                &module,
            )
            .to_string()
        };
        for (more, words) in [
            (
                r#""version": 4294967296"#,
                r#"its manifest: "version" is 4294967296: write a whole number from 1 to 4294967295"#,
            ),
            (r#""rank": -1"#, r#""rank" is -1: write a whole number from 0"#),
            (r#""name": "y""#, r#"the key "name" stands twice"#),
            (r#""config_schema": {"#, "it is not JSON: is config_schema a whole JSON object?"),
        ] {
            let error = with(&format!(r#"{{"abi": "1.0", "name": "x", {more}}}"#));
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn every_mistake_of_a_manifest_is_told_at_once() {
        let error = stamped(b"", br#"{"nam": "x", "version": 0, "mode": "lazy"}"#, Path::new("m.wasm")).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("the manifest has 5 mistakes:\n"), "{error}");
    }
}
