//! What can be wrong with a sandbox, a module's file or a folder of modules, each with a name and a remedy.

use std::fmt;
use std::path::PathBuf;

use crate::assignor::FaultKind;
use crate::ids::Digest;
use crate::text::plain;

/// The sandbox cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A limit is out of its range.
    #[error("sandbox limit {name} = {value}: must be between {least} and {most}")]
    Limit {
        /// Which one.
        name: &'static str,
        /// What it was set to.
        value: usize,
        /// The least it may be.
        least: usize,
        /// The most it may be.
        most: usize,
    },
    /// The WebAssembly engine refused to start on this machine.
    #[error("the WebAssembly engine cannot start here: {0}")]
    Engine(String),
    /// A module that serves could not be compiled so that its instructions are counted.
    #[error("its instructions cannot be counted: {0}")]
    Counting(String),
    /// The thread that watches over deadlines cannot start.
    #[error("the thread that watches over the deadlines of strategies cannot start: {0}")]
    Thread(#[from] std::io::Error),
}

/// A folder of modules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// It cannot be read.
    #[error("the modules folder {} cannot be read: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The thread that watches it cannot start.
    #[error("the thread that watches the modules folders cannot start: {0}")]
    Thread(std::io::Error),
}

/// Why a file is not a module that can serve.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LoadErrorKind {
    /// The file cannot be read.
    Unreadable,
    /// The file is larger than it may be.
    TooLarge,
    /// The file is empty or ends too early: somebody is still writing it.
    HalfWritten,
    /// Not a core WebAssembly module.
    NotWasm,
    /// Compiled code instead of a module.
    Precompiled,
    /// WebAssembly that breaks the rules, or needs a feature that is off.
    Invalid,
    /// One of the bounds of [`super::limits`].
    Limit,
    /// It imports something.
    Imports,
    /// An export is missing or has another type.
    Exports,
    /// The manifest is missing or says something impossible.
    Manifest,
    /// It speaks another version of the ABI.
    Abi,
    /// The compiler refused it.
    Compile,
    /// Compiling it was ended from outside: nothing is known of the module, and it may be tried again.
    CompileEnded,
    /// It failed one of the calls that every module must survive before it serves.
    Smoke(FaultKind),
    /// Another file has the same name and version, with other bytes.
    Clash,
    /// It is not signed by a trusted key, or not among the digests that are allowed.
    Untrusted,
}

impl LoadErrorKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LoadErrorKind::Unreadable => "unreadable",
            LoadErrorKind::TooLarge => "too_large",
            LoadErrorKind::HalfWritten => "half_written",
            LoadErrorKind::NotWasm => "not_wasm",
            LoadErrorKind::Precompiled => "precompiled",
            LoadErrorKind::Invalid => "invalid",
            LoadErrorKind::Limit => "limit",
            LoadErrorKind::Imports => "imports",
            LoadErrorKind::Exports => "exports",
            LoadErrorKind::Manifest => "manifest",
            LoadErrorKind::Abi => "abi",
            LoadErrorKind::Compile | LoadErrorKind::CompileEnded => "compile",
            LoadErrorKind::Smoke(fault) => fault.name(),
            LoadErrorKind::Clash => "clash",
            LoadErrorKind::Untrusted => "untrusted",
        }
    }
}

/// A file that is refused: who, why, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// What kind of refusal.
    pub kind: LoadErrorKind,
    /// The file.
    pub path: PathBuf,
    /// Its SHA-256, when it could be read whole.
    pub digest: Option<Digest>,
    /// What is wrong and how to put it right, in a sentence.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of files, and of what is in them, are their authors'.
        let (path, message) = (plain(&self.path.display().to_string()), plain(&self.message));
        write!(f, "{path}: {}: {message}", self.kind.name())?;
        match self.digest {
            Some(digest) => write!(f, " (sha256:{})", digest.short()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for LoadError {}

/// A [`LoadError`] before it is known whose it is.
#[derive(Debug)]
pub(super) struct Refusal {
    pub kind: LoadErrorKind,
    pub message: String,
}

impl Refusal {
    pub fn new(kind: LoadErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_line_whatever_a_file_calls_itself() {
        let (kind, message) = (LoadErrorKind::Invalid, "no export \"\u{1b}[2J\nERROR\"".to_owned());
        let error = LoadError { kind, path: "a\nb.wasm".into(), digest: None, message };
        assert_eq!(error.to_string(), "a\\nb.wasm: invalid: no export \"\\u{1b}[2J\\nERROR\"");
    }
}
