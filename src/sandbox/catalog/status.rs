//! What people are told of each file in the folders.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::ids::Digest;
use crate::sandbox::{LoadError, LoadErrorKind, Module};
use crate::time::WallTime;

/// How a file stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleState {
    /// It is offered.
    Serving,
    /// It is broken; the last good module of that file is offered in its place.
    ServingPrevious,
    /// A version whose file was replaced; offered below the newer one.
    Older,
    /// Fit to serve, but two newer versions are there.
    PassedOver,
    /// Nothing of it is offered.
    Broken,
}

/// One file, or one older version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ModuleStatus {
    /// The file, or the folder that cannot be read.
    pub path: PathBuf,
    /// The strategy's name, if it is known.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<u32>,
    /// The digest of what is offered, or of the broken file.
    #[serde(serialize_with = "hexadecimal")]
    pub digest: Option<Digest>,
    /// How it stands.
    pub state: ModuleState,
    /// Since when.
    pub since: WallTime,
    /// Why the file itself does not serve.
    pub last_error: Option<String>,
}

impl ModuleStatus {
    /// Whether it says the same as `other`, whenever that was.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        *self == Self { since: self.since, ..other.clone() }
    }
}

#[allow(clippy::ref_option, reason = "serde's signature")]
fn hexadecimal<S: Serializer>(digest: &Option<Digest>, to: S) -> Result<S::Ok, S::Error> {
    match digest {
        Some(digest) => to.collect_str(digest),
        None => to.serialize_none(),
    }
}

/// A row about a file and the module that it gave.
pub(super) fn row(
    path: &Path,
    module: Option<&Module>,
    state: ModuleState,
    last_error: Option<String>,
) -> ModuleStatus {
    ModuleStatus {
        path: path.to_owned(),
        name: module.map(|module| module.manifest().name.clone()),
        version: module.map(|module| module.manifest().version),
        digest: module.map(Module::digest),
        state,
        since: WallTime::default(),
        last_error,
    }
}

/// Why a file does not serve that has the name and version of `others`.
pub(super) fn clash(path: &Path, module: Option<&Module>, others: &[PathBuf]) -> LoadError {
    let others: Vec<_> = others.iter().map(|other| other.display().to_string()).collect();
    let called = module
        .map_or_else(String::new, |module| format!("{} version {}", module.manifest().name, module.manifest().version));
    LoadError {
        kind: LoadErrorKind::Clash,
        path: path.to_owned(),
        digest: module.map(Module::digest),
        message: format!(
            "{} is {called} too, with other bytes: raise a version or remove a file",
            others.join(" and ")
        ),
    }
}
