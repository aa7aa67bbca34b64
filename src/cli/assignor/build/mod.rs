//! `divvy assignor build`: from a project to a module that every member would take.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::check::columns;
use super::stamp;
use crate::cli::failure::{Failure, Kind};
use crate::cli::files;
use crate::cli::output::{Output, aside, plain};
use crate::sandbox::{Module, Sandbox, SandboxLimits};
use languages::Language;
use tools::Tools;

pub mod carried;
pub mod languages;
mod tools;
mod wasm32;

/// Where a project keeps the manifest of a language that writes none itself.
const MANIFEST: &str = "manifest.json";

/// Compile a project to a module, and lay it beside the project's manifest.
#[derive(Args, Debug)]
#[command(after_help = "\
The compiler's own words go to stderr. In Rust the target wasm32-unknown-unknown is added by rustup if it is missing; \
where there is no rustup, Debian's rustc-web, cargo-web and rust-web-src are used. DIVVY_WASM=rustup|debian forces one way.")]
pub struct Build {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

impl Build {
    /// Builds, and says what came of it.
    pub fn run(self, output: &Output) -> Result<()> {
        let built = build(&self.folder)?;
        let (file, module) = (built.file.display().to_string(), &built.module);
        let value = json!({
            "file": crate::text::path(&built.file),
            "language": built.language,
            "protocol": module.protocol(),
            "bytes": module.bytes().len(),
            "digest": module.digest().to_string(),
            "wasi_shim": module.imports_wasi(),
        });
        output.print(&value, || {
            let kib = module.bytes().len() as f64 / 1024.0;
            let protocol = plain(module.protocol().as_str());
            let named = plain(&module.manifest().name);
            let wasi = if module.imports_wasi() {
                format!("\nmembers take it where they are told --wasi-shim {named}")
            } else {
                String::new()
            };
            format!("{}  {kib:.1} KiB  {}  serves as {protocol}{wasi}", plain(&file), module.digest())
        })
    }
}

/// What was built.
pub struct Built {
    /// `NAME.wasm` in the project's folder.
    pub file: PathBuf,
    /// The same, loaded.
    pub module: Arc<Module>,
    /// Of which language the project is.
    pub language: &'static str,
}

/// Compiles the project in a folder, stamps its manifest if it has one, and has the sandbox look at it: what no member would
/// load is not put down.
pub fn build(folder: &Path) -> Result<Built> {
    let language = language(folder)?;
    let shown = folder.display().to_string();
    let tools = Tools { project: &shown };
    let mut bytes = language.compile(folder, &tools)?;
    let manifest = folder.join(MANIFEST);
    if manifest.is_file() {
        bytes = stamp::stamped(&bytes, &files::manifest(&manifest)?, &manifest)?;
    }
    let sandbox = Sandbox::new(SandboxLimits::of_author())?;
    let refused = |error| Failure::of(Kind::Failed, super::for_its_author(error, &bytes).to_string());
    let module = sandbox.load(&bytes, folder).map_err(refused)?;
    let name = format!("{}.wasm", module.manifest().name);
    let file = if folder == Path::new(".") { PathBuf::from(name) } else { folder.join(name) };
    files::write("the module", &file, &bytes)?;
    // The file's own name is what later sentences name.
    let module = sandbox.load(&bytes, &file).map_err(refused)?;
    if let Some(told) = columns::unknown(&module.manifest().needs) {
        aside(&format!("its manifest's needs: {told}"));
    }
    Ok(Built { file, module, language: language.name() })
}

fn language(folder: &Path) -> Result<&'static dyn Language> {
    if !folder.is_dir() {
        let sentence =
            format!("{} is no folder: name a project's, or make one with `divvy assignor new NAME`", folder.display());
        return Err(Failure::of(Kind::NotFound, sentence));
    }
    languages::of_project(folder).ok_or_else(|| {
        let marks: Vec<_> = languages::LANGUAGES.iter().map(|it| format!("{} ({})", it.mark(), it.name())).collect();
        let sentence = format!(
            "{} is no project: it has no {}; `divvy assignor new NAME` makes one",
            folder.display(),
            marks.join(", ")
        );
        Failure::of(Kind::NotFound, sentence)
    })
}
