//! What people are told of each file in the folders.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::ids::Digest;
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
