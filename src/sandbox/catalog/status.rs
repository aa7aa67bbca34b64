//! What people are told of each file in the folders.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::file::file_name;
use crate::ids::Digest;
use crate::membership::limits::MAX_OFFERS;
use crate::sandbox::limits::MAX_FILES;
use crate::sandbox::{LoadError, LoadErrorKind, Module};
use crate::text::plain;
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
    /// Fit to serve, but newer versions do.
    PassedOver,
    /// Nothing of it is offered.
    Broken,
}

/// One file, or one older version.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ModuleStatus {
    /// The file, or the folder that cannot be read.
    #[serde(serialize_with = "crate::text::serialize_path")]
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
    /// Whether it stands for files that were left out, since they are too many.
    #[serde(skip)]
    pub is_surplus: bool,
}

impl ModuleStatus {
    /// Whether it says the same as `other`, whenever that was.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        *self == Self { since: self.since, ..other.clone() }
    }
}

/// How many of the files that are left out are named.
const NAMED_FILES: usize = 3;

/// What is said of the files of a folder that are too many; the first of them bears it.
pub(super) fn surplus(left_out: &[PathBuf], most: usize) -> String {
    let names: Vec<_> = left_out.iter().take(NAMED_FILES).map(|path| plain(&file_name(path))).collect();
    let more = left_out.len().saturating_sub(NAMED_FILES);
    let why = match most < MAX_FILES {
        true => ", a quarter of the files that this process may have open (`ulimit -n`: raise it),",
        false => "",
    };
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!(
        "{most} modules are read{why} and this folder has {} too many, which are left out: {}{more}; remove some (a member \
         offers {MAX_OFFERS} names at most)",
        left_out.len(),
        names.join(", ")
    )
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
        is_surplus: false,
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
            "{} {} {called} too, with other bytes: raise a version or remove a file",
            others.join(" and "),
            if others.len() == 1 { "is" } else { "are" }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::limits::most_files;

    #[cfg(unix)]
    #[test]
    fn a_file_may_have_any_name() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"w9/q\xff.wasm"));
        let row = row(path, None, ModuleState::Broken, Some("no module".to_owned()));
        assert_eq!(serde_json::to_value(row).unwrap()["path"], "w9/q\u{fffd}.wasm");
    }

    #[test]
    fn one_file_is_and_several_are() {
        let said = |others: &[PathBuf]| clash(Path::new("a"), None, others).message;
        assert!(said(&["b".into()]).starts_with("b is "), "{}", said(&["b".into()]));
        let both = ["b".into(), "c".into()];
        assert!(said(&both).starts_with("b and c are "), "{}", said(&both));
    }

    #[test]
    fn files_that_are_too_many_are_counted_and_some_are_named() {
        let files: Vec<_> = (1..=5).map(|i| PathBuf::from(format!("many/{i}.wasm"))).collect();
        assert!(
            surplus(&files, MAX_FILES).contains("5 too many, which are left out: 1.wasm, 2.wasm, 3.wasm and 2 more;")
        );
        assert!(surplus(&files[..1], MAX_FILES).contains("1 too many, which are left out: 1.wasm;"));
        let few = surplus(&files, most_files(Some(100)));
        assert!(few.starts_with("25 modules are read, a quarter of the files"), "{few}");
        assert_eq!((most_files(Some(1 << 20)), most_files(None)), (MAX_FILES, MAX_FILES));
    }
}
