//! The languages that a strategy can be written in: for each what `divvy assignor new` writes, and how `build` compiles it.
//!
//! To add one: a file here, a line in [`LANGUAGES`], and its SDK and template under `guest-sdk/`.

use std::path::Path;

use anyhow::{Context, Result};

use super::tools::Tools;
use crate::assignor::manifest::Shape;

mod assemblyscript;
mod c;
mod go;
mod rust;
mod zig;

/// All of them, the first by default.
pub const LANGUAGES: &[&dyn Language] = &[&rust::Rust, &c::C, &zig::Zig, &assemblyscript::AssemblyScript, &go::Go];

/// One of them.
pub trait Language: Sync {
    /// As `--lang` has it.
    fn name(&self) -> &'static str;

    /// The file by which a project is known to be in this language: `Cargo.toml`, `build.zig`, …
    fn mark(&self) -> &'static str;

    /// What a new project is made of.
    fn parts(&self, shape: Shape) -> &'static [Part];

    /// Whether its tools keep a name for themselves, so that no project can have it.
    fn keeps(&self, _name: &str) -> bool {
        false
    }

    /// Compiles the project in a folder, and gives back the module's bytes. A project that has a `manifest.json` gets it
    /// stamped in afterwards (`divvy assignor stamp`), so a language without custom sections needs nothing of its own.
    ///
    /// `tools` runs the compilers, with progress, and says in a sentence which is missing and how to get it. Nothing may be
    /// written outside of the folder but by the language's own caches.
    fn compile(&self, folder: &Path, tools: &Tools<'_>) -> Result<Vec<u8>>;
}

/// Something that is written into a new project: a file or a folder of `guest-sdk/`, which this program carries in itself.
///
/// In the text of a template (a part with that word in its path) `{{name}}` becomes the project's name (a-z, 0-9, `-`), `{{ident}}` the same with
/// `_` for `-`, and `{{version}}` the version of divvy.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Where it is below `guest-sdk/`: `c/template`, `c/divvy.h`, `c/divvy`.
    pub from: &'static str,
    /// Where it goes in the project; empty for the project's own folder, whose files a template's folder brings.
    pub to: &'static str,
}

impl Part {
    /// Whether its text has words to fill in.
    pub fn is_template(&self) -> bool {
        self.from.contains("template")
    }
}

/// Has a compiler write a module to a file of its own, and gives back the bytes: what was there before is not overwritten by
/// what may not be taken.
fn compiled(folder: &Path, compile: impl FnOnce(&Path) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    let whole = folder.canonicalize().with_context(|| format!("{} cannot be read", folder.display()))?;
    let to = whole.join(format!(".{}.wasm.new", std::process::id()));
    let read = compile(&to)
        .and_then(|_| std::fs::read(&to).with_context(|| format!("the compiler wrote no {}", to.display())));
    // A compiler that failed may have written nothing.
    let _ = std::fs::remove_file(&to);
    read
}

/// The cases of a first strategy, by shape: the same in every language.
const VECTORS: Part = Part { from: "templates/rust-partitions/vectors.json", to: "vectors.json" };
const VECTORS_OF_STATES: Part = Part { from: "templates/rust-states/vectors.json", to: "vectors.json" };

/// The language of a name.
pub fn named(name: &str) -> Option<&'static dyn Language> {
    LANGUAGES.iter().copied().find(|language| language.name() == name)
}

/// The language of the project in a folder.
pub fn of_project(folder: &Path) -> Option<&'static dyn Language> {
    LANGUAGES.iter().copied().find(|language| folder.join(language.mark()).is_file())
}
